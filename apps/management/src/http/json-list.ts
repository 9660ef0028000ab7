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

/** Streams `{"<name>":[…],"total":n}`. Only one page of the list is in memory at a time. */
export function streamJsonList<N extends string, T>(
  name: N,
  list: PagedList<T>,
): Streamed<Record<N, T[]> & { total: number }> {
  return Readable.from(chunks(name, list), { objectMode: false });
}

async function* chunks<T>(name: string, { total, pages }: PagedList<T>): AsyncGenerator<Buffer> {
  let before = `{${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield utf8Bytes(before + JSON.stringify(page).slice(1, -1));
    before = ',';
  }
  yield utf8Bytes(`${before === ',' ? '' : before}],"total":${await total}}`);
}
