/** Says what is wrong with a value at a path; undefined: nothing. */
export type Check = (value: unknown, path: string) => string | undefined;

const MAX_TEXT = 8_192;

const scalar =
  (what: string, isValid: (value: unknown) => boolean): Check =>
  (value, path) =>
    isValid(value) ? undefined : `${path} should be ${what}`;

export const text: Check = scalar('a text', (value) => typeof value === 'string' && value.length <= MAX_TEXT);
export const flag: Check = scalar('true or false', (value) => typeof value === 'boolean');
export const number: Check = scalar('a number', (value) => typeof value === 'number' && Number.isFinite(value));
export const portNumber: Check = scalar(
  'a port from 1 to 65535',
  (value) => typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536,
);
/** A text, a number, true or false. */
export const plain: Check = (value, path) =>
  [text, number, flag].every((check) => check(value, path))
    ? `${path} should be a text, a number or a flag`
    : undefined;

export const oneOf = (...values: readonly string[]): Check =>
  scalar(`one of ${values.join(', ')}`, (value) => typeof value === 'string' && values.includes(value));

export const list =
  (item: Check, max = 64): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return `${path} should be a list`;
    if (value.length > max) return `${path} should have at most ${max} members`;
    return first(value.map((member: unknown, index) => item(member, `${path}[${index}]`)));
  };

/** An object with any names and members of one kind. */
export const record =
  (member: Check): Check =>
  (value, path) =>
    isObject(value) ? first(Object.entries(value).map(([key, of]) => member(of, `${path}.${key}`))) : notObject(path);

/** An object with these members and no others; those of `required` must be there. */
export const object =
  (members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, path) => {
    if (!isObject(value)) return notObject(path);
    const missing = required.find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined) return `${path}.${missing} is missing`;
    return first(
      Object.entries(value).map(([key, of]) => {
        const check = Object.hasOwn(members, key) ? members[key] : undefined;
        return check ? check(of, `${path}.${key}`) : `${path}.${key} is not part of any subscription`;
      }),
    );
  };

/** Any JSON to this depth. */
export const json =
  (depth: number): Check =>
  (value, path) => {
    if (Array.isArray(value)) return depth === 0 ? `${path} is too deep` : list(json(depth - 1))(value, path);
    if (isObject(value)) return depth === 0 ? `${path} is too deep` : record(json(depth - 1))(value, path);
    return value === null ? undefined : plain(value, path);
  };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const notObject = (path: string) => `${path} should be an object`;
const first = (problems: readonly (string | undefined)[]) => problems.find((problem) => problem !== undefined);
