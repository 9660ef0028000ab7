const USERNAME_MIN_LENGTH = 3;
const USERNAME_MAX_LENGTH = 128;

/** The same in JSON Schema, exactly. The pattern has no nested repetition: it takes time by the length alone. */
export const USERNAME_SCHEMA = {
  minLength: USERNAME_MIN_LENGTH,
  maxLength: USERNAME_MAX_LENGTH,
  pattern: '^[-_@.]?[a-zA-Z0-9]+(?:[-_@.][a-zA-Z0-9]+)*[-_@.]?$',
} as const;

const SINGLE_SPECIALS = new RegExp(USERNAME_SCHEMA.pattern);

/**
 * Checks a final username (after prefix and suffix): 3 to 128 characters of `a-z A-Z 0-9 - _ @ .`, no two of the
 * special ones in a row. Returns what is wrong, in a sentence for the caller of the API, or nothing.
 */
export function usernameProblem(name: string): string | undefined {
  if (name.length < USERNAME_MIN_LENGTH || name.length > USERNAME_MAX_LENGTH) {
    return `Username must be ${USERNAME_MIN_LENGTH}-${USERNAME_MAX_LENGTH} characters`;
  }
  if (!/^[a-zA-Z0-9\-_@.]+$/.test(name)) return 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .';
  return SINGLE_SPECIALS.test(name) ? undefined : 'Username cannot have consecutive special characters';
}
