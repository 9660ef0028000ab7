import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { errorCode } from '../errors/error-code.js';
import { type DecryptWith, decryption } from './backup-encryption.js';
import { BackupError } from './backup-error.js';
import type { BackupHeader } from './backup-header.js';
import { BackupReader } from './backup-reader.js';

/** A backup on the disk, and what decrypts it. */
export interface BackupFile {
  readonly file: string;
  readonly decryptWith: DecryptWith;
  /** Receives how many of all bytes of the file were read. */
  readonly onProgress: (bytes: number, allBytes: number) => void;
}

/**
 * Decrypts the file and has it read to its end.
 *
 * @throws BackupError when the file cannot be read, was encrypted otherwise, is damaged or cut off
 */
export async function readBackup<T>(
  { file, decryptWith, onProgress }: BackupFile,
  use: (reader: BackupReader) => Promise<T>,
): Promise<T> {
  const { size } = await stat(file).catch((error: unknown) => {
    throw new BackupError(`${file} cannot be read (${errorCode(error)})`);
  });
  const bytes = createReadStream(file);
  const count = async function* (chunks: AsyncIterable<Uint8Array>) {
    let read = 0;
    for await (const chunk of chunks) {
      read += chunk.length;
      onProgress(read, size);
      yield chunk;
    }
  };
  try {
    return await pipeline(bytes, count, decryption(decryptWith), createGunzip(), (text: AsyncIterable<Uint8Array>) =>
      use(new BackupReader(text)),
    );
  } catch (error) {
    if (String(errorCode(error)).startsWith('Z_'))
      throw new BackupError('The backup is damaged: it cannot be decompressed', { cause: error });
    throw error;
  }
}

/**
 * Reads the whole file, compares everything that the header says of it, and checks its signature.
 *
 * @param check throws where the backup is not for this program or not accepted; it runs before the rows are read
 */
export function verifyBackup(file: BackupFile, check: (header: BackupHeader) => Promise<void>): Promise<BackupHeader> {
  return readBackup(file, async (reader) => {
    const header = await reader.readHeader();
    await check(header);
    for (const table of header.tables) for await (const _rows of reader.readRows(table));
    await reader.readEnd(header);
    return header;
  });
}
