/** The id given to the code that runs at this moment. It never outlives one turn of the event loop. */
let current: string | undefined;

/**
 * Log lines that `write` writes before it returns carry this request id, whichever request it runs in. For code that works
 * for a request outside of its course.
 */
export function withRequestId<T>(id: string | undefined, write: () => T): T {
  const before = current;
  current = id ?? current;
  try {
    return write();
  } finally {
    current = before;
  }
}

/** The id that `withRequestId` has given; undefined outside of it. */
export const explicitRequestId = (): string | undefined => current;
