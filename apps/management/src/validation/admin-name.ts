/** The name of management itself in the audit log. */
const RESERVED = 'system';

const NAME = /^[a-zA-Z0-9_.@-]{3,128}$/;

/** JSON Schema of the username of an admin. */
export const ADMIN_NAME_SCHEMA = { pattern: NAME.source, not: { const: RESERVED } };

/** A sentence that says what is wrong with the username of an admin; undefined when nothing is. */
export function adminNameProblem(name: string): string | undefined {
  if (name === RESERVED) return `Username must not be ${RESERVED}`;
  return NAME.test(name) ? undefined : 'Username must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .';
}
