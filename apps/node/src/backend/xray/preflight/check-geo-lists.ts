import { access, type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NodeError } from '../../../errors/node-error.js';
import type { GeoList } from '../config/geo-lists.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** Directories that the engine searches after its own. */
const SHARED_DIRECTORIES = ['/usr/local/share/xray', '/usr/share/xray', '/opt/share/xray'];

/** Bytes of an entry's header: type, length, and a name of less than 128 bytes. */
const ENTRY_HEAD_BYTES = 140;

/**
 * Checks that all geo lists exist. START_FAILED names the rule and the missing file, CONFIG_REFUSED the rule and the
 * list that its file lacks.
 */
export async function checkGeoLists(
  lists: readonly GeoList[],
  directory: string,
  rights?: EngineRights,
): Promise<void> {
  const known = new Map<string, ReadonlySet<string>>();
  for (const { path, text, file, code } of lists) {
    const found = await locateFile(file, directory);
    if (found === undefined) {
      const looked = [directory, ...SHARED_DIRECTORIES].join(', ');
      const advice = 'put it there, or name its directory in XRAY_LOCATION_ASSET';
      throw new NodeError('START_FAILED', `${path}: "${text}" needs ${file}, which is not in ${looked}; ${advice}`);
    }
    if (rights !== undefined && !known.has(found) && !(await rights.canAccess('read', found))) {
      const advice = 'let others read it, or put it into one of ';
      throw new NodeError(
        'START_FAILED',
        `${path}: "${text}" needs ${found}, which ${rights.name} cannot read; ${advice}${SHARED_DIRECTORIES.join(', ')}`,
      );
    }
    const codes = known.get(found) ?? (await readCodes(found));
    known.set(found, codes);
    if (!codes.has(code))
      throw new NodeError('CONFIG_REFUSED', `${path}: "${text}": there is no list ${code} in ${found}`);
  }
}

/** The directory that the engine searches first for geo files. */
export function geoDirectory(environment: Readonly<Record<string, string>>, enginePath: string): string {
  return environment['XRAY_LOCATION_ASSET'] ?? dirname(enginePath);
}

async function locateFile(file: string, directory: string): Promise<string | undefined> {
  for (const candidate of [directory, ...SHARED_DIRECTORIES].map((place) => join(place, file))) {
    const exists = await access(candidate).then(
      () => true,
      () => false,
    );
    if (exists) return candidate;
  }
  return undefined;
}

/** Reads the names of the lists in a large file without reading their contents. */
async function readCodes(path: string): Promise<Set<string>> {
  const codes = new Set<string>();
  const file = await open(path);
  try {
    const { size } = await file.stat();
    for (let position = 0; position < size; ) {
      const entry = await readEntry(file, position);
      if (entry === undefined) break;
      codes.add(entry.code);
      position = entry.end;
    }
    return codes;
  } finally {
    await file.close();
  }
}

/** Reads one entry: a protobuf field 1 with a message whose field 1 is its name. */
async function readEntry(file: FileHandle, position: number): Promise<{ code: string; end: number } | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(ENTRY_HEAD_BYTES), 0, ENTRY_HEAD_BYTES, position);
  const head = buffer.subarray(0, bytesRead);
  let length = 0;
  let at = 1;
  for (let more = true; more && at < 6; at += 1) {
    const byte = head[at] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * (at - 1));
    more = byte >= 0x80;
  }
  const nameLength = head[at + 1];
  if (head[0] !== 0x0a || head[at] !== 0x0a || nameLength === undefined || length === 0) return undefined;
  return { code: head.toString('latin1', at + 2, at + 2 + nameLength), end: position + at + length };
}
