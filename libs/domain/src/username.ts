const USERNAME_MIN_LENGTH = 3;
const USERNAME_MAX_LENGTH = 128;

/** The same rule as `usernameProblem`, as keywords of JSON Schema. Matching the pattern takes linear time. */
export const USERNAME_SCHEMA = {
  minLength: USERNAME_MIN_LENGTH,
  maxLength: USERNAME_MAX_LENGTH,
  pattern: '^[-_@.]?[a-zA-Z0-9]+(?:[-_@.][a-zA-Z0-9]+)*[-_@.]?$',
} as const;

const SINGLE_SPECIALS = new RegExp(USERNAME_SCHEMA.pattern);

/**
 * Checks a username with its prefix and suffix: 3 to 128 characters of `a-z A-Z 0-9 - _ @ .`, without two special
 * characters in a row.
 *
 * @returns what is wrong, in a sentence for the caller of the API; undefined for a valid username.
 */
export function usernameProblem(name: string): string | undefined {
  if (name.length < USERNAME_MIN_LENGTH || name.length > USERNAME_MAX_LENGTH) {
    return `Username must be ${USERNAME_MIN_LENGTH}-${USERNAME_MAX_LENGTH} characters`;
  }
  if (!/^[a-zA-Z0-9\-_@.]+$/.test(name)) return 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .';
  return SINGLE_SPECIALS.test(name) ? undefined : 'Username cannot have consecutive special characters';
}
