import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { UsersChunk } from '../gen/service.js';

/** Chunks as the REST route takes them: each as its length (a varint) and its bytes. */
export async function* chunkFrames(chunks: AsyncIterable<UsersChunk>): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) yield new BinaryWriter().bytes(UsersChunk.encode(chunk).finish()).finish();
}
