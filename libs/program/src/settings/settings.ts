import { readFileSync } from 'node:fs';
import { validateSync } from 'class-validator';
import { messageOf, OperatorError } from '../process/operator-error.js';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The name, the explanation and the parser of one setting. */
export interface SettingOptions {
  /** Name of the environment variable. */
  readonly name: string;
  /** What the setting does, in one line for `--help`. */
  readonly help: string;
  /** The default, as it would be written in the environment; undefined = none. */
  readonly fallback?: string;
  /** Computes a default from other variables; it takes precedence over `fallback`. */
  readonly derive?: (source: Environment) => string | undefined;
  /** Parses the text. A text that cannot be parsed becomes a value that the rules of the property refuse. */
  readonly parse?: (text: string) => unknown;
  /** Whether the value is a secret. A secret can also be read from a file, whose path is in the variable `<name>_FILE`. */
  readonly secret?: boolean;
}

export interface SettingField extends SettingOptions {
  readonly property: string;
}

export type SettingsClass<T extends object> = new () => T;

const FIELDS = new WeakMap<object, SettingField[]>();

/** Property decorator: reads the property from an environment variable. Its rules are decorators of class-validator. */
export function Setting(options: SettingOptions): PropertyDecorator {
  return (prototype, property) => {
    const fields = FIELDS.get(prototype) ?? [];
    FIELDS.set(prototype, [...fields, { ...options, property: String(property) }]);
  };
}

/** All invalid settings at once. The message does not contain their values, because some are secrets. */
export class SettingsError extends OperatorError {
  override readonly name = 'SettingsError';

  constructor(
    /** One line per invalid setting: the variable, and what its value must be. */
    readonly problems: readonly string[],
  ) {
    super(`The settings are not right:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Reads all settings of a class from the environment and validates them.
 *
 * @param type a class whose properties have the decorator `Setting` and rules of class-validator.
 * @throws SettingsError with all problems, in the order of the properties.
 */
export function readSettings<T extends object>(type: SettingsClass<T>, source: Environment): T {
  const fields = fieldsOf(type);
  const settings = new type();
  const unread = new Map<string, readonly string[]>();
  for (const { property, name, fallback, derive, parse = asIs, secret } of fields) {
    let given: string | undefined;
    try {
      // An empty variable counts as not set, which is what `X= command` means.
      given = secret ? readSecret(source, name) : source[name] || undefined;
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      unread.set(property, error.problems);
    }
    const text = given ?? derive?.(source) ?? fallback;
    Reflect.set(settings, property, text === undefined ? undefined : parse(text));
  }
  const errors = validateSync(settings, { stopAtFirstError: true });
  const problems = fields.flatMap(
    ({ property, name }) =>
      unread.get(property) ??
      errors
        .filter((error) => error.property === property)
        .flatMap((error) => Object.values(error.constraints ?? {}).map((text) => `${name} ${text}`)),
  );
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * Reads a secret from its variable, or from the file that `<name>_FILE` names, without a newline at its end.
 *
 * @returns undefined when neither is set.
 * @throws SettingsError when both are set, or the file is empty or cannot be read.
 */
export function readSecret(source: Environment, name: string): string | undefined {
  const variable = fileVariable(name);
  const [text, file] = [source[name] || undefined, source[variable]];
  if (!file) return text;
  if (text !== undefined) throw new SettingsError([`${variable} must not be set beside ${name}: set only one of them`]);
  let content: string;
  try {
    content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new SettingsError([`${variable} must name a file that can be read: ${messageOf(error)}`]);
  }
  if (content === '') throw new SettingsError([`${variable} must name a file that is not empty: ${file} is`]);
  return content;
}

/** The values of all secrets of a class of settings that are set, so that a log can leave them out. */
export const secretValues = (type: SettingsClass<object>, source: Environment): string[] =>
  fieldsOf(type)
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => readSecret(source, name) ?? []);

const asIs = (text: string): unknown => text;

/**
 * The table of settings for `--help`: one line per setting with its default, then a note on the secrets that can be in
 * files.
 */
export function settingsTable<T extends object>(type: SettingsClass<T>): string {
  const fields = fieldsOf(type);
  const width = Math.max(...fields.map(({ name }) => name.length));
  const lines = fields.map(({ name, help, fallback }) => {
    const standard = fallback === undefined ? '' : ` (default: ${fallback})`;
    return `  ${name.padEnd(width)}  ${help}${standard}`;
  });
  const secrets = fields.filter(({ secret }) => secret).map(({ name }) => name);
  const [first] = secrets;
  if (first !== undefined) {
    lines.push(
      '',
      `Secrets may stand in files: ${fileVariable(first)} is the path of a file that holds ${first}, without its last newline.`,
      `The same goes for: ${secrets.join(', ')}.`,
    );
  }
  return lines.join('\n');
}

/** The settings of a class, after those of the classes that it extends. */
export const fieldsOf = (type: SettingsClass<object>): readonly SettingField[] => fieldsOfPrototype(type.prototype);

const fieldsOfPrototype = (prototype: object | null): readonly SettingField[] =>
  prototype ? [...fieldsOfPrototype(Object.getPrototypeOf(prototype)), ...(FIELDS.get(prototype) ?? [])] : [];
