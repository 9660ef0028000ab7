/** The code of an error of Node.js or PostgreSQL (`EADDRINUSE`, `23505`); undefined when it has none. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}
