const PASSWORD_MIN_LENGTH = 12;
/** Maximum length, because the time of hashing grows with it. */
const PASSWORD_MAX_LENGTH = 1024;

/** JSON Schema of a password. */
export const PASSWORD_SCHEMA = { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH };

/** A sentence that says what is wrong with the password of an admin; undefined when nothing is. */
export function passwordProblem(password: string, username: string): string | undefined {
  if (password.length > PASSWORD_MAX_LENGTH) return `Password must have at most ${PASSWORD_MAX_LENGTH} characters`;
  // Characters outside the basic plane count as two in `length`.
  if ([...password].length < PASSWORD_MIN_LENGTH)
    return `Password must have at least ${PASSWORD_MIN_LENGTH} characters`;
  return password.toLowerCase() === username.toLowerCase() ? 'Password must not be the username' : undefined;
}
