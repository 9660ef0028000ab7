import { Readable } from 'node:stream';
import { utf8Bytes } from './utf8-bytes.js';

/** What is written piece by piece; `T` is what the pieces make up. */
export interface Streamed<T> extends Readable {
  readonly holds?: T;
}

/** A list that is read from the database in pages while it is written. */
export interface PagedList<T> {
  /** May be counted while the pages are written: it stands behind them. */
  total: number | Promise<number>;
  pages: AsyncIterable<readonly T[]>;
}

/** `{"<name>":[…],"total":n}` as a stream: however long the list is, one page of it is in memory. */
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
