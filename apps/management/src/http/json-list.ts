import { Readable } from 'node:stream';
import { utf8Bytes } from './utf8-bytes.js';

/** A stream whose chunks together form a JSON value of type `T`. */
export interface Streamed<T> extends Readable {
  readonly holds?: T;
}

/** A list that is read from the database page by page while it is written. */
export interface PagedList<T> {
  /** The number of all entries. It is written after the pages, so it may still be counted meanwhile. */
  total: number | Promise<number>;
  pages: AsyncIterable<readonly T[]>;
}

/** How the entries of a list are shown; absent: as they are. */
interface Shown {
  show?: (entry: unknown) => unknown;
}

const lists = new WeakMap<object, Shown>();

/** Has each entry of a streamed list be shown in another way, before it is read. Returns false for what is no such list. */
export function showEntries(stream: object, show: (entry: unknown) => unknown): boolean {
  const shown = lists.get(stream);
  if (shown) shown.show = show;
  return shown !== undefined;
}

/** Streams `{"<name>":[…],"total":n}`. Only one page of the list is in memory at a time. */
export function streamJsonList<N extends string, T>(
  name: N,
  list: PagedList<T>,
): Streamed<Record<N, T[]> & { total: number }> {
  const shown: Shown = {};
  const stream = Readable.from(chunks(name, list, shown), { objectMode: false });
  lists.set(stream, shown);
  return stream;
}

async function* chunks<T>(name: string, { total, pages }: PagedList<T>, shown: Shown): AsyncGenerator<Buffer> {
  let before = `{${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const entries = shown.show ? page.map(shown.show) : page;
    yield utf8Bytes(before + JSON.stringify(entries).slice(1, -1));
    before = ',';
  }
  yield utf8Bytes(`${before === ',' ? '' : before}],"total":${await total}}`);
}
