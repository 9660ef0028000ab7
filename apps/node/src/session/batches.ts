import { setImmediate } from 'node:timers/promises';

/** Splits a list before each repeated name, so that no part contains a name twice. */
export function* splitAtRepeats<T>(items: readonly T[], nameOf: (item: T) => string): Generator<T[], void> {
  let part = new Map<string, T>();
  for (const item of items) {
    if (part.has(nameOf(item))) {
      yield [...part.values()];
      part = new Map();
    }
    part.set(nameOf(item), item);
  }
  if (part.size > 0) yield [...part.values()];
}

/**
 * Groups items that are available, up to a limit, without waiting for more: a fast stream is handled in large steps, a
 * slow one item by item.
 */
export async function* batchAvailable<T>(
  items: AsyncIterable<T> | Iterable<T>,
  limit: number,
): AsyncGenerator<T[], void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const take = () => {
    const next = Promise.resolve(iterator.next());
    // Prevents an unhandled rejection; the next `await` gets the error.
    next.catch(() => undefined);
    return next;
  };
  let done = false;
  try {
    let next = take();
    while (!done) {
      const batch: T[] = [];
      let item: IteratorResult<T, unknown> | undefined = await next;
      while (item !== undefined && !item.done && batch.length < limit) {
        batch.push(item.value);
        next = take();
        item = batch.length < limit ? await Promise.race([next, setImmediate(undefined)]) : undefined;
      }
      done = item?.done === true;
      if (batch.length > 0) yield batch;
    }
  } finally {
    // Waits only a moment: `return` may be queued behind a step that waits for the caller's next message.
    if (!done) await Promise.race([iterator.return?.(), setImmediate(undefined)]);
  }
}
