import { Readable } from 'node:stream';

/** A list that is read from the database in pages while it is written. */
export interface PagedList<T> {
  total: number;
  pages: AsyncIterable<readonly T[]>;
}

/** `{"<name>":[…],"total":n}` as a stream: however long the list is, one page of it is in memory. */
export function jsonList<T>(name: string, { total, pages }: PagedList<T>): Readable {
  return Readable.from(chunks(name, total, pages), { objectMode: false });
}

async function* chunks<T>(name: string, total: number, pages: AsyncIterable<readonly T[]>): AsyncGenerator<string> {
  let before = `{${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + page.map((item) => JSON.stringify(item)).join(',');
    before = ',';
  }
  yield `${before === ',' ? '' : before}],"total":${total}}`;
}
