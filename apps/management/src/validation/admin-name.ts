/** What the audit log calls management itself. */
const RESERVED = 'system';

const NAME = /^[a-zA-Z0-9_.@-]{3,128}$/;

/** The name of an admin in JSON Schema, exactly. */
export const ADMIN_NAME_SCHEMA = { pattern: NAME.source, not: { const: RESERVED } };

/** What is wrong with the username of an admin, in a sentence, or nothing. */
export function adminNameProblem(name: string): string | undefined {
  if (name === RESERVED) return `Username must not be ${RESERVED}`;
  return NAME.test(name) ? undefined : 'Username must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .';
}
