/**
 * What an API token may do of what its admin may do: `all` is everything, `read` is every GET, `users` is the routes
 * about users.
 */
export const TOKEN_SCOPES = ['read', 'users', 'all'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/**
 * What an API token may do only when it says so, beside its scope: `identity` is changing who may act (admins, their
 * factors, API tokens, connections of nodes), `secrets` is reading secrets.
 */
export const TOKEN_GRANTS = ['identity', 'secrets'] as const;
export type TokenGrant = (typeof TOKEN_GRANTS)[number];

/** A route with its registered path, such as `/api/user/:username`. */
interface ScopedRoute {
  method: string;
  path: string;
  /** Whether every admin, and not only sudo admins, may call the route. */
  isForAllAdmins: boolean;
}

const USER_ROUTES = /^\/api\/users?(\/|$)/;
/** Lists of logins and API tokens, which for a sudo admin are those of all admins. */
const LOGIN_ROUTES = /^\/api\/admin\/(?:sessions|tokens)$/;

/**
 * Whether a scope allows a route. `read` allows every GET. `users` allows every route about users, and every GET that
 * is open to all admins (groups, templates, the admin itself), but for the lists of logins and tokens. Creating and deleting tokens needs `all`.
 */
export function includesRoute(scope: TokenScope, { method, path, isForAllAdmins }: ScopedRoute): boolean {
  const isReading = method === 'GET' || method === 'HEAD';
  switch (scope) {
    case 'all':
      return true;
    case 'read':
      return isReading;
    case 'users':
      return USER_ROUTES.test(path) || (isReading && isForAllAdmins && !LOGIN_ROUTES.test(path));
  }
}
