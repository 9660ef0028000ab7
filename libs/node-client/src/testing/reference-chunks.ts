import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { status } from '@grpc/grpc-js';
import { type User, UsersChunk } from '../gen/service.js';
import { ReferenceRefusal } from './reference-refusal.js';

const refused = (text: string) => new ReferenceRefusal(400, status.INVALID_ARGUMENT, text);

/** The body of a chunked sync over REST, from the messages of gRPC. */
export const framed = (messages: readonly Buffer[]): Buffer =>
  Buffer.concat(messages.map((message) => new BinaryWriter().bytes(message).finish()));

/** Parses such a body. Lengths are varints, and empty frames are skipped. Bytes after the last chunk are ignored. */
export function unframed(body: Buffer): UsersChunk[] {
  const reader = new BinaryReader(body);
  const chunks: UsersChunk[] = [];
  while (reader.pos < reader.len && !chunks.at(-1)?.last) {
    const length = lengthAt(reader);
    if (reader.pos + length > reader.len) throw refused('failed to read chunk payload: unexpected EOF');
    const bytes = body.subarray(reader.pos, reader.pos + length);
    reader.pos += length;
    if (length > 0) chunks.push(decode(bytes));
  }
  return chunks;
}

function lengthAt(reader: BinaryReader): number {
  try {
    return reader.uint32();
  } catch {
    throw refused('failed to read chunk length: unexpected EOF');
  }
}

function decode(bytes: Buffer): UsersChunk {
  try {
    return UsersChunk.decode(bytes);
  } catch {
    throw refused('failed to decode chunk: proto: cannot parse invalid wire-format data');
  }
}

/** The users of all chunks, in the order of the indexes. */
export function usersOf(chunks: readonly UsersChunk[]): User[] {
  const last = chunks.find((chunk) => chunk.last);
  if (!last) throw refused('missing final chunk indicator');
  const users: User[] = [];
  for (let index = 0n; index <= last.index; index += 1n) {
    const here = chunks.filter((chunk) => chunk.index === index);
    if (here.length === 0) throw refused(`missing chunk index ${index}`);
    users.push(...here.flatMap((chunk) => chunk.users));
  }
  if (users.length === 0) throw refused('no users received');
  return users;
}
