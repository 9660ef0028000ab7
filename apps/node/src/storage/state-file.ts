import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCodeOf } from './disk-problem.js';
import { encodeFrame, FrameReader } from './frames.js';

const CHUNK_BYTES = 256 * 1024;

/** The header of a file of this format: `rampart NAME`, a line end, the version. */
export interface StateFormat {
  readonly name: string;
  readonly version: number;
}

export interface OpenedStateFile {
  /** Undefined when the file can be read, but not written. */
  readonly file: FileHandle | undefined;
  /** Length up to the end of the last complete frame in bytes; the rest is cut off. */
  readonly size: number;
  readonly cut: number;
  readonly corrupt: boolean;
}

function fileHeader({ name, version }: StateFormat): Buffer {
  return Buffer.from([...Buffer.from(`rampart ${name}\n`), version]);
}

/** Encodes the length of the initial snapshot, which follows the header. A file that is shorter is incomplete. */
function encodeFileLength(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(length));
  return bytes;
}

/**
 * Reads a file in parts and leaves it open for appending. Resolves with undefined when the file does not exist. A file
 * of another format or a later version is moved aside, so that it is not overwritten.
 */
export async function openStateFile(
  path: string,
  format: StateFormat,
  onRecord: (payload: Uint8Array) => void,
  onWarning: (text: string) => void,
): Promise<OpenedStateFile | undefined> {
  const { handle, writable } = await openExisting(path);
  if (handle === undefined) return undefined;
  try {
    const head = fileHeader(format);
    if (!(await isComplete(handle, head))) {
      await handle.close();
      const aside = await moveAside(path);
      onWarning(`${path} is not a file that this version of the node can read: it is kept as ${aside}`);
      return undefined;
    }
    const reader = new FrameReader();
    const begin = head.length + encodeFileLength(0).length;
    let position = begin;
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      for (const payload of reader.readFrames(buffer.subarray(0, bytesRead))) onRecord(payload);
      position += bytesRead;
    }
    const size = begin + reader.length;
    const cut = position - size;
    if (writable) {
      await handle.chmod(0o600);
      if (cut > 0) {
        await writeAt(handle, encodeFileLength(size), head.length);
        await handle.truncate(size);
      }
    } else await handle.close();
    return { file: writable ? handle : undefined, size, cut, corrupt: reader.corrupt };
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Writes a new file in parts; other events run between two writes, and the write ends early when `goesOn` returns
 * false. Resolves with the number of bytes written.
 */
export async function writeStateFile(
  file: FileHandle,
  format: StateFormat,
  records: Iterable<Uint8Array>,
  goesOn: () => boolean,
): Promise<number> {
  const head = fileHeader(format);
  let parts: Buffer[] = [head, encodeFileLength(0)];
  let length = 0;
  let size = 0;
  const write = async () => {
    const bytes = Buffer.concat(parts);
    await writeAt(file, bytes, size);
    size += bytes.length;
    parts = [];
    length = 0;
  };
  for (const record of records) {
    const part = encodeFrame(record);
    parts.push(part);
    length += part.length;
    if (length < CHUNK_BYTES) continue;
    if (!goesOn()) return size;
    await write();
  }
  await write();
  await writeAt(file, encodeFileLength(size), head.length);
  return size;
}

/** Writes all bytes; a single `write` of Node.js may write only a part of them. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** Makes renames and removals in the directory of a file survive a crash of the machine. */
export async function syncDirectoryOf(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Removes files of one directory; missing ones are ignored. */
export async function removeStateFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
  if (paths[0] !== undefined) await syncDirectoryOf(paths[0]);
}

async function openExisting(path: string): Promise<{ handle?: FileHandle; writable: boolean }> {
  try {
    return { handle: await open(path, 'r+'), writable: true };
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return { writable: true };
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCodeOf(error))) throw error;
    return { handle: await open(path, 'r'), writable: false };
  }
}

/** Whether the file has this format and at least its initial length. */
async function isComplete(handle: FileHandle, head: Buffer): Promise<boolean> {
  const length = head.length + encodeFileLength(0).length;
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
  if (bytesRead < length || !buffer.subarray(0, head.length).equals(head)) return false;
  return BigInt((await handle.stat()).size) >= buffer.readBigUInt64LE(head.length);
}

async function moveAside(path: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const aside = `${path}.unreadable-${count}`;
    try {
      await (await open(aside, 'wx', 0o600)).close();
    } catch (error) {
      if (errorCodeOf(error) === 'EEXIST') continue;
      throw error;
    }
    await rename(path, aside);
    return aside;
  }
}
