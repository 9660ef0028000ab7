import { createHash } from 'node:crypto';
import { BackupError } from './backup-error.js';
import { type BackedUpTable, type BackupHeader, parseHeader, rowsOf } from './backup-header.js';
import { checkSignature } from './backup-signature.js';

/** The first line of every backup: the number tells formats apart. The first format had no signature. */
export const FIRST_LINE = 'rampart-backup 2';
const UNSIGNED_FIRST_LINE = 'rampart-backup 1';
/** The line after the last one of the content. */
export const SIGNATURE = 'signature ';
/** The line after the last row of a table, as in the text format of COPY, in which no row looks like it. */
export const END_OF_TABLE = '\\.';
const END_MARK = Buffer.from(`${END_OF_TABLE}\n`);
const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The last line of the content of a backup. */
export const lastLine = (header: Pick<BackupHeader, 'tables'>): string =>
  `end ${header.tables.length} tables ${rowsOf(header)} rows`;

/**
 * Reads the decrypted text of a backup from its beginning to its end: `readHeader`, then `readRows` to its end for each
 * table, then `readEnd`.
 */
export class BackupReader {
  private readonly chunks: AsyncIterator<Uint8Array>;
  /** Of everything that was handed out. */
  private readonly hash = createHash('sha256');
  /** What was read and not handed out yet. It begins at the beginning of a line. */
  private rest: Buffer = Buffer.alloc(0);

  constructor(text: AsyncIterable<Uint8Array>) {
    this.chunks = text[Symbol.asyncIterator]();
  }

  async readHeader(): Promise<BackupHeader> {
    const first = await this.readLine();
    if (first === FIRST_LINE || first === UNSIGNED_FIRST_LINE) {
      const header = parseHeader(await this.readLine());
      if ((header.signer === undefined) === (first === UNSIGNED_FIRST_LINE)) return header;
      throw new BackupError('The backup has an invalid header: signer');
    }
    throw new BackupError(
      first.startsWith('rampart-backup ')
        ? `The backup has format ${first.slice('rampart-backup '.length)}, which this version cannot read: use the version that made it, or a newer one`
        : 'The file is encrypted with age, but is no backup of Rampart',
    );
  }

  /** Whole rows in the text format of COPY. @throws BackupError when there are more or fewer than the table has */
  async *readRows({ name, rows }: BackedUpTable): AsyncGenerator<Buffer, void> {
    let count = 0;
    for (let end = -1; end < 0; ) {
      end = this.endOfRows();
      const part = this.take(end < 0 ? this.rest.lastIndexOf(NEWLINE) + 1 : end);
      count += countLines(part);
      if (part.length > 0) yield part;
      if (end < 0) await this.readMore();
    }
    this.take(END_MARK.length);
    if (count !== rows) throw new BackupError(`The backup has ${count} rows of ${name}, and should have ${rows}`);
  }

  /** @throws BackupError when this is not the end of a whole backup, or its signature is wrong */
  async readEnd(header: BackupHeader): Promise<void> {
    const isWhole = (await this.readLine()) === lastLine(header);
    if (isWhole && header.signer !== undefined) {
      const digest = this.hash.copy().digest();
      checkSignature(digest, (await this.readLine()).replace(SIGNATURE, ''), header.signer);
    }
    if (!isWhole || this.rest.length > 0 || !(await this.chunks.next()).done)
      throw new BackupError('The backup does not end as it should: it is damaged');
  }

  /** The position of the line that ends a table; -1 while it was not read. */
  private endOfRows(): number {
    if (this.rest.subarray(0, END_MARK.length).equals(END_MARK)) return 0;
    const newline = this.rest.indexOf(`\n${END_OF_TABLE}\n`);
    return newline < 0 ? -1 : newline + 1;
  }

  private async readLine(): Promise<string> {
    let end = this.rest.indexOf(NEWLINE);
    for (; end < 0; end = this.rest.indexOf(NEWLINE)) await this.readMore();
    return this.take(end + 1)
      .subarray(0, end)
      .toString();
  }

  private take(length: number): Buffer {
    const part = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    this.hash.update(part);
    return part;
  }

  private async readMore(): Promise<void> {
    const { done, value } = await this.chunks.next();
    if (done) throw new BackupError('The backup is cut off: its end is missing');
    if (this.rest.length + value.length > MAX_LINE_BYTES)
      throw new BackupError('The backup has a line that is too long');
    this.rest =
      this.rest.length === 0
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : Buffer.concat([this.rest, value]);
  }
}

/** The number of line breaks, which is that of rows: a row has exactly one. */
export function countLines(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
