const USERNAME_MIN_LENGTH = 3;
const USERNAME_MAX_LENGTH = 128;

/**
 * Checks a final username (after prefix and suffix): 3 to 128 characters of `a-z A-Z 0-9 - _ @ .`, no two of the
 * special ones in a row. Returns what is wrong, in a sentence for the caller of the API, or nothing.
 */
export function usernameProblem(name: string): string | undefined {
  if (name.length < USERNAME_MIN_LENGTH || name.length > USERNAME_MAX_LENGTH) {
    return `Username must be ${USERNAME_MIN_LENGTH}-${USERNAME_MAX_LENGTH} characters`;
  }
  if (!/^[a-zA-Z0-9\-_@.]+$/.test(name)) return 'Username can only contain a-z, A-Z, 0-9, -, _, @ and .';
  if (/[-_@.]{2}/.test(name)) return 'Username cannot have consecutive special characters';
  return undefined;
}
