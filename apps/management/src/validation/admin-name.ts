/** The names of management itself and of the control socket in the audit log, and last parts of paths such as /api/admin/session. */
const RESERVED = ['system', 'local', 'session', 'sessions', 'tokens'];

const NAME = /^[a-zA-Z0-9_.@-]{3,128}$/;

/** JSON Schema of the username of an admin. */
export const ADMIN_NAME_SCHEMA = { pattern: NAME.source, not: { enum: RESERVED } };

/** A sentence that says what is wrong with the username of an admin; undefined when nothing is. */
export function adminNameProblem(name: string): string | undefined {
  if (RESERVED.includes(name)) return `Username must not be ${name}`;
  return NAME.test(name) ? undefined : 'Username must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .';
}
