import type { DeepPartial, User, UsersChunk } from '../gen/service.js';
import { completeUser } from './complete-user.js';

/** Users as a caller gives them: partial, from any iterable. */
export type UsersInput = Iterable<DeepPartial<User>> | AsyncIterable<DeepPartial<User>>;

/** Passes on the users of one call, completed. It remembers their e-mails, and the error of the iterator of the caller. */
export class UserSource {
  readonly emails = new Set<string>();
  failure: { readonly error: unknown } | undefined;

  constructor(private readonly users: UsersInput) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<User, void, void> {
    try {
      for await (const given of this.users) {
        const user = completeUser(given);
        this.emails.add(user.email);
        yield user;
      }
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

/** Splits users into chunks; the last one has `last` set. Without users there is one empty chunk. */
export async function* chunksOf(
  users: AsyncIterable<User>,
  { size, revision }: { readonly size: number; readonly revision: bigint },
): AsyncGenerator<UsersChunk, void, void> {
  let index = 0n;
  let chunk: User[] = [];
  for await (const user of users) {
    if (chunk.length === size) {
      yield { users: chunk, index, last: false, revision };
      index += 1n;
      chunk = [];
    }
    chunk.push(user);
  }
  yield { users: chunk, index, last: true, revision };
}
