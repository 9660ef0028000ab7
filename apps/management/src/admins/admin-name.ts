/** What the audit log calls management itself. */
const RESERVED = 'system';

/** What is wrong with the username of an admin, in a sentence, or nothing. */
export function adminNameProblem(name: string): string | undefined {
  if (name === RESERVED) return `Username must not be ${RESERVED}`;
  return /^[\w.@-]{3,128}$/.test(name)
    ? undefined
    : 'Username must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .';
}
