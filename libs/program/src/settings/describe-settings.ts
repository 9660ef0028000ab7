import {
  type Environment,
  fieldsOf,
  fileVariable,
  readSettings,
  type SettingsClass,
  SettingsError,
} from './settings.js';

/** One setting as an operator sees it. */
export interface SettingDescription {
  /** The name of the environment variable. */
  readonly name: string;
  /** The value as it would be written in the environment; of a secret only `set`. Null: not set. */
  readonly value: string | null;
  /** Where the value comes from: `environment`, `file <path>`, `default`, `computed`, or `none` where it is not set. */
  readonly origin: string;
  /** What is wrong with the value; null: nothing. */
  readonly problem: string | null;
}

/** Describes every setting of a class, in the order of its properties. It never fails, and shows no secret. */
export function describeSettings<T extends object>(type: SettingsClass<T>, source: Environment): SettingDescription[] {
  const problems = problemsOf(type, source);
  return fieldsOf(type).map(({ name, secret = false, derive, fallback }) => {
    const problem = problems.find((line) => line.startsWith(`${name} `) || line.startsWith(`${fileVariable(name)} `));
    return { name, ...found(source, name, secret, derive?.(source), fallback), problem: problem ?? null };
  });
}

function found(
  source: Environment,
  name: string,
  secret: boolean,
  computed: string | undefined,
  fallback: string | undefined,
): Pick<SettingDescription, 'value' | 'origin'> {
  const file = secret ? source[fileVariable(name)] : undefined;
  if (file) return { value: 'set', origin: `file ${file}` };
  const given = source[name];
  if (given) return { value: secret ? 'set' : given, origin: 'environment' };
  if (computed !== undefined) return { value: secret ? 'set' : computed, origin: 'computed' };
  return fallback === undefined ? { value: null, origin: 'none' } : { value: fallback, origin: 'default' };
}

function problemsOf<T extends object>(type: SettingsClass<T>, source: Environment): readonly string[] {
  try {
    readSettings(type, source);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
