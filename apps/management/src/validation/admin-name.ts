/**
 * The names of management itself and of the control socket in the audit log, and all parts of routes in the place of a name, such
 * as in /api/admin/session: an admin of that name could not be reached by its own routes. A test compares them with all routes.
 */
const RESERVED = [
  'system',
  'local',
  'passwords-without-code',
  'session',
  'sessions',
  'step-up',
  'token',
  'tokens',
  'totp',
];

const NAME = /^[a-zA-Z0-9_.@-]{3,128}$/;

/** Whether an admin can have this name, or could before a later route took it. */
export const isAdminName = (name: string): boolean => NAME.test(name);

/** JSON Schema of the username of an admin. */
export const ADMIN_NAME_SCHEMA = { pattern: NAME.source, not: { enum: RESERVED } };

/** A sentence that says what is wrong with the username of an admin; undefined when nothing is. */
export function adminNameProblem(name: string): string | undefined {
  if (RESERVED.includes(name)) return `Username must not be ${name}`;
  return isAdminName(name) ? undefined : 'Username must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .';
}
