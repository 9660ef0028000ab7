/** What a token may do of what its admin may: `all`, only `read`, or what has to do with `users`. */
export const TOKEN_SCOPES = ['read', 'users', 'all'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** A route as the router knows it: its path with the names of parameters. */
interface ScopedRoute {
  method: string;
  path: string;
  /** Whether every admin may call it. */
  isForAllAdmins: boolean;
}

const USER_ROUTES = /^\/api\/users?(\/|$)/;

/**
 * Whether a scope includes a route. `read` is every GET; `users` is every route about users, and of what is open to all
 * admins (groups, templates, the admin itself) every GET. A token makes or ends tokens only with `all`.
 */
export function includesRoute(scope: TokenScope, { method, path, isForAllAdmins }: ScopedRoute): boolean {
  const isReading = method === 'GET' || method === 'HEAD';
  switch (scope) {
    case 'all':
      return true;
    case 'read':
      return isReading;
    case 'users':
      return USER_ROUTES.test(path) || (isReading && isForAllAdmins);
  }
}
