const PASSWORD_MIN_LENGTH = 12;
/** Hashing costs time that grows with the length. */
const PASSWORD_MAX_LENGTH = 1024;

/** A password in JSON Schema. */
export const PASSWORD_SCHEMA = { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH };

/** What is wrong with an admin's password, in a sentence, or nothing. */
export function passwordProblem(password: string, username: string): string | undefined {
  if (password.length > PASSWORD_MAX_LENGTH) return `Password must have at most ${PASSWORD_MAX_LENGTH} characters`;
  // Characters outside the first plane are two units.
  if ([...password].length < PASSWORD_MIN_LENGTH)
    return `Password must have at least ${PASSWORD_MIN_LENGTH} characters`;
  return password.toLowerCase() === username.toLowerCase() ? 'Password must not be the username' : undefined;
}
