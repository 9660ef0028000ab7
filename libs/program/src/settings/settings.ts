import { readFileSync } from 'node:fs';
import { validateSync } from 'class-validator';
import { messageOf, OperatorError } from '../process/operator-error.js';

/** The environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How one setting is named, explained and read. */
export interface SettingOptions {
  /** The environment variable. */
  readonly name: string;
  /** What it does, for the table of settings. */
  readonly help: string;
  /** The default, as it would be written; undefined = none. */
  readonly fallback?: string;
  /** A default that depends on other variables; comes before `fallback`. */
  readonly derive?: (source: Environment) => string | undefined;
  /** From the text to the value; what cannot be read becomes a value that the rules refuse. */
  readonly parse?: (text: string) => unknown;
  /** Whether it is a secret, which may stand in a file too: the variable `<name>_FILE` holds the path of that file. */
  readonly secret?: boolean;
}

interface SettingField extends SettingOptions {
  readonly property: string;
}

type SettingsClass<T extends object> = new () => T;

const FIELDS = new WeakMap<object, SettingField[]>();

/** Ties a property to an environment variable. The rules for its value are class-validator decorators beside it. */
export function Setting(options: SettingOptions): PropertyDecorator {
  return (prototype, property) => {
    const fields = FIELDS.get(prototype) ?? [];
    FIELDS.set(prototype, [...fields, { ...options, property: String(property) }]);
  };
}

/** What is set wrongly, all of it at once. Values are not shown: some are secrets. */
export class SettingsError extends OperatorError {
  override readonly name = 'SettingsError';

  constructor(
    /** One line each: the variable and what it must be. */
    readonly problems: readonly string[],
  ) {
    super(`The settings are not right:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Reads a class of settings from the environment and checks it.
 *
 * @throws SettingsError with every problem, in the order of the table.
 */
export function readSettings<T extends object>(type: SettingsClass<T>, source: Environment): T {
  const fields = fieldsOf(type);
  const settings = new type();
  const unread = new Map<string, readonly string[]>();
  for (const { property, name, fallback, derive, parse = asIs, secret } of fields) {
    let given: string | undefined;
    try {
      // A variable that is set to nothing counts as not set, as `X= command` is meant.
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

const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * A secret as the variable gives it, or the file that `<name>_FILE` names, without a newline at its end.
 *
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

const asIs = (text: string): unknown => text;

/** The table that --help prints: one line per setting, with its default, and below them which may stand in files. */
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
const fieldsOf = (type: SettingsClass<object>): readonly SettingField[] => fieldsOfPrototype(type.prototype);

const fieldsOfPrototype = (prototype: object | null): readonly SettingField[] =>
  prototype ? [...fieldsOfPrototype(Object.getPrototypeOf(prototype)), ...(FIELDS.get(prototype) ?? [])] : [];
