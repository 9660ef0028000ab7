import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BackupError } from './backup-error.js';
import { BackupReader, END_OF_TABLE, FIRST_LINE, lastLine, SIGNATURE } from './backup-reader.js';
import { signDigest, signerOf, signingKey } from './backup-signature.js';

const KEY = { current: Buffer.alloc(32).toString('base64') };

const SIGNING_KEY = signingKey(Buffer.alloc(32, 1));

const headerOf = (tables: { name: string; columns: string[]; rows: number }[]) => ({
  program: '0.5.0',
  createdAt: '2026-11-23T00:00:00.000Z',
  migrations: ['First1764000000000'],
  keys: { jwt: KEY, subscription: KEY, atRest: KEY },
  signer: signerOf(SIGNING_KEY),
  tables,
  partitions: [],
  sequences: [],
});

/** The text of a backup of tables with these rows. */
function textOf(tables: readonly (readonly string[])[]): Buffer {
  const header = headerOf(tables.map((rows, n) => ({ name: `t${n}`, columns: ['a'], rows: rows.length })));
  const bodies = tables.map((rows) => `${rows.map((row) => `${row}\n`).join('')}${END_OF_TABLE}\n`);
  return signed(`${FIRST_LINE}\n${JSON.stringify(header)}\n${bodies.join('')}${lastLine(header)}\n`);
}

const signed = (text: string): Buffer =>
  Buffer.from(`${text}${SIGNATURE}${signDigest(createHash('sha256').update(text).digest(), SIGNING_KEY)}\n`);

/** Splits the text into chunks of these lengths, over and over. */
async function* chunked(text: Buffer, lengths: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < text.length; n += 1) {
    const length = lengths[n % lengths.length] ?? 1;
    yield text.subarray(at, at + length);
    at += length;
  }
}

async function readAll(text: Buffer, lengths: readonly number[] = [text.length]): Promise<string[]> {
  const reader = new BackupReader(chunked(text, lengths));
  const header = await reader.readHeader();
  const bodies: string[] = [];
  for (const table of header.tables) {
    let body = '';
    for await (const rows of reader.readRows(table)) body += rows;
    bodies.push(body);
  }
  await reader.readEnd(header);
  return bodies;
}

const NO_SIGNER = 'The backup has an invalid header: signer';

/** A row in the text format of COPY, which never is a lone `\.`. */
const row = fc
  .array(fc.constantFrom('\\\\', '.', '\\n', '\\N', 'x', '\t', 'é'), { maxLength: 6 })
  .map((parts) => parts.join(''));

describe(BackupReader.name, () => {
  it('hands out whole rows of each table, however the text is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { maxLength: 5 }), { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        async (tables, lengths) => {
          const bodies = tables.map((rows) => rows.map((text) => `${text}\n`).join(''));
          expect(await readAll(textOf(tables), lengths)).toEqual(bodies);
        },
      ),
    );
  });

  it('refuses a text that ends early, wherever it is cut', async () => {
    const text = textOf([['a', 'b'], [], ['c']]);
    for (let length = 0; length < text.length; length += 1)
      await expect(readAll(text.subarray(0, length))).rejects.toThrow(BackupError);
  });

  it('refuses a text that goes on after its end', async () => {
    await expect(readAll(Buffer.concat([textOf([['a']]), Buffer.from('x')]))).rejects.toThrow(
      'The backup does not end as it should: it is damaged',
    );
  });

  it.each([
    ['fewer', 'a\nb\n', 'a\n', 'The backup has 1 rows of t0, and should have 2'],
    ['more', 'a\nb\n', 'a\nb\nc\n', 'The backup has 3 rows of t0, and should have 2'],
  ])('refuses a table with %s rows than its header says', async (_what, rows, others, message) => {
    const text = textOf([['a', 'b']])
      .toString()
      .replace(rows, others);
    await expect(readAll(Buffer.from(text))).rejects.toThrow(new BackupError(message));
  });

  it.each([
    [
      'another format',
      'rampart-backup 3\n{}\n',
      'The backup has format 3, which this version cannot read: use the version that made it, or a newer one',
    ],
    ['another text', 'hello\n', 'The file is encrypted with age, but is no backup of Rampart'],
    ['a header that is no JSON', `${FIRST_LINE}\n{"keys":\n`, 'The backup has a header that is not JSON'],
    [
      'a header without its members',
      `${FIRST_LINE}\n{"program":"1"}\n`,
      'The backup has an invalid header: createdAt, migrations, keys, tables, partitions, sequences',
    ],
    ['a signed backup in the format without signatures', textOf([]).toString().replace(' 2', ' 1'), NO_SIGNER],
    ['an unsigned header in the present format', textOf([]).toString().replace('"signer"', '"other"'), NO_SIGNER],
  ])('refuses %s', async (_what, text, message) => {
    await expect(readAll(Buffer.from(text))).rejects.toThrow(new BackupError(message));
  });

  it('refuses a text with any other byte than was signed', async () => {
    const text = textOf([['a', 'b']]);
    for (let at = 0; at < text.length - 1; at += 1) {
      const other = Buffer.from(text);
      other[at] = (other[at] ?? 0) ^ 1;
      // Of base64, the last digit before the padding has bits that mean nothing.
      if (at < text.length - 4) await expect(readAll(other)).rejects.toThrow(BackupError);
    }
  });
});
