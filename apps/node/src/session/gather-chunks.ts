import { NodeError } from '../errors/node-error.js';
import { MAX_USERS, type RawUsersChunk, tooManyUsersError } from '../wire/raw-messages.js';
import { type RawUser, withRevision } from '../wire/raw-user.js';

/** Maximum size of all chunks of one call, as for any other message; the number of users is limited too. */
const MAX_CHUNKS_BYTES = 64 * 1024 * 1024;
/** Minimum number of bytes that is counted for each chunk, so that empty chunks are limited too. */
const MIN_CHUNK_COST_BYTES = 256;

/**
 * Collects a list of users that comes in parts: chunks 0 up to the one marked as the last, in any order; several parts
 * of one index are concatenated. Users without a revision get that of their chunk. When a user occurs several times,
 * the last version counts.
 */
export async function gatherChunks(chunks: AsyncIterable<RawUsersChunk>): Promise<RawUser[]> {
  const parts = new Map<bigint, RawUser[]>();
  let bytes = 0;
  let count = 0;
  for await (const { index, users, last, revision } of chunks) {
    bytes += users.reduce((sum, user) => sum + user.bytes.length, MIN_CHUNK_COST_BYTES);
    if (bytes > MAX_CHUNKS_BYTES) {
      throw new NodeError('TOO_LARGE', `the chunks are larger than ${MAX_CHUNKS_BYTES} bytes together`);
    }
    count += users.length;
    if (count > MAX_USERS) throw tooManyUsersError();
    const part = parts.get(index) ?? [];
    for (const user of users) part.push(user.revision === 0n ? withRevision(user, revision) : user);
    parts.set(index, part);
    if (last) return joinChunks(parts, index);
  }
  throw new NodeError('INVALID_ARGUMENT', 'missing final chunk indicator');
}

function joinChunks(parts: ReadonlyMap<bigint, RawUser[]>, lastIndex: bigint): RawUser[] {
  const users = new Map<string, RawUser>();
  for (let index = 0n; index <= lastIndex; index += 1n) {
    const part = parts.get(index);
    if (part === undefined) throw new NodeError('INVALID_ARGUMENT', `missing chunk index ${index}`);
    for (const user of part) users.set(user.email, user);
  }
  if (users.size === 0) throw new NodeError('INVALID_ARGUMENT', 'no users received');
  return [...users.values()];
}
