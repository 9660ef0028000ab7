import { CoreConfigError } from './core-config-error.js';

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value in a configuration with its path, which every error about the value names. */
export class JsonCursor {
  constructor(
    readonly value: unknown,
    readonly path = '',
  ) {}

  /** Whether there is a value; null counts as absent, as it does for the engine. */
  get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Returns a member; of an absent object every member is absent. */
  get(key: string): JsonCursor {
    const path = this.path === '' ? key : `${this.path}.${key}`;
    const members = this.object();
    return new JsonCursor(Object.hasOwn(members, key) ? members[key] : undefined, path);
  }

  /** Returns the first of several members that is given; the absent first one where none is. */
  getFirst(...keys: readonly [string, ...string[]]): JsonCursor {
    const found = keys.map((key) => this.get(key));
    return found.find((cursor) => cursor.exists) ?? this.get(keys[0]);
  }

  /** Returns the elements of a list; an absent list is empty. */
  items(): JsonCursor[] {
    if (!this.exists) return [];
    if (!Array.isArray(this.value)) return this.fail(`${this.path} must be a list`);
    return this.value.map((item, index) => new JsonCursor(item, `${this.path}[${index}]`));
  }

  /** Returns the elements of a list of objects, in which null is refused. */
  objects(): JsonCursor[] {
    return this.items().map((item) => (isJsonObject(item.value) ? item : item.fail(`${item.path} must be an object`)));
  }

  /** Returns the elements of a list of strings. */
  texts(): string[] {
    return this.items().map((item) => item.text());
  }

  /** Returns the engine's list of strings: a list, in which null is an empty string, or one string with commas. */
  textList(): string[] {
    if (typeof this.value === 'string') return this.value.split(',').map((text) => text.trim());
    return this.texts();
  }

  /** Returns a string, or `fallback` where it is absent. */
  text(fallback = ''): string {
    if (!this.exists) return fallback;
    return typeof this.value === 'string' ? this.value : this.fail(`${this.path} must be a string`);
  }

  /** Returns an object, an empty one where it is absent. */
  object(): JsonObject {
    if (!this.exists) return {};
    return isJsonObject(this.value) ? this.value : this.fail(`${this.path} must be an object`);
  }

  /** Returns a boolean, false where it is absent. */
  flag(): boolean {
    if (!this.exists) return false;
    return typeof this.value === 'boolean' ? this.value : this.fail(`${this.path} must be true or false`);
  }

  fail(message: string): never {
    throw new CoreConfigError(message, this.path);
  }
}
