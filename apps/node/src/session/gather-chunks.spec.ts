import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DeepPartial, type User, UsersChunk } from '@rampart/node-client';
import { LogRing } from '../logs/log-ring.js';
import { NodeLog } from '../logs/node-log.js';
import { MemorySessionStore } from '../testing/nodes/memory-session-store.js';
import { rawUser } from '../testing/raw-users.js';
import { decodeUsersChunk, type RawUsersChunk } from '../wire/raw-messages.js';
import { Session } from './session.js';
import { BackendDouble, removal, startRequest, user, userMessage } from './testing/backend-double.js';

describe('Session in chunks', () => {
  let backend: BackendDouble;
  let store: MemorySessionStore;
  let session: Session;

  beforeEach(async () => {
    backend = new BackendDouble();
    const traffic = { startReading: () => undefined, stopReading: () => undefined };
    store = new MemorySessionStore();
    session = new Session(backend, traffic, new NodeLog(new LogRing()), store);
    await session.start(
      startRequest('{"a":1}', { users: [userMessage('a', 'p'), userMessage('b', 'q')], revision: 5n }),
    );
    backend.calls.length = 0;
  });
  afterEach(() => session.stop());

  const chunk = (index: bigint, users: DeepPartial<User>[], others: DeepPartial<UsersChunk> = {}) =>
    decodeUsersChunk(UsersChunk.encode(UsersChunk.fromPartial({ index, users, ...others })).finish());
  const LAST = { last: true };
  async function* sent(...chunks: RawUsersChunk[]): AsyncGenerator<RawUsersChunk> {
    yield* chunks;
  }

  it('chunks change only the listed users, in any order of chunks, and chunks after the last one are ignored', async () => {
    await session.syncUsersChunked(
      sent(
        chunk(2n, [userMessage('a', 'newest')]),
        chunk(0n, [userMessage('a', 'new'), userMessage('c', 'r')]),
        chunk(0n, [userMessage('d', 's')]),
        chunk(2n, [userMessage('c', 'newer')]),
        chunk(1n, [{ email: 'd' }, userMessage('e', 't')], LAST),
        chunk(1n, [userMessage('f', 'u')]),
      ),
    );
    expect(backend.passwords).toEqual({ a: 'new', b: 'q', c: 'r', e: 't' });
  });

  it.each<[string, RawUsersChunk[]]>([
    ['missing final chunk indicator', []],
    ['missing final chunk indicator', [chunk(0n, [userMessage('c', 'r')])]],
    ['missing chunk index 1', [chunk(0n, [userMessage('c', 'r')]), chunk(2n, [userMessage('d', 's')], LAST)]],
    ['missing chunk index 0', [chunk(2n ** 64n - 1n, [userMessage('c', 'r')], LAST)]],
    ['no users received', [chunk(0n, []), chunk(1n, [], LAST)]],
  ])('incomplete chunks change nothing: %s', async (message, chunks) => {
    await expect(session.syncUsersChunked(sent(...chunks))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message,
    });
    expect(backend.calls).toEqual([]);
  });

  it('all chunks together are limited to the size of one message', async () => {
    const large = chunk(0n, [userMessage('c', 'x'.repeat(1024 * 1024))]);
    let taken = 0;
    async function* endless(): AsyncGenerator<RawUsersChunk> {
      for (;;) {
        taken += 1;
        yield large;
      }
    }
    await expect(session.syncUsersChunked(endless())).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'the chunks are larger than 67108864 bytes together',
    });
    expect(taken).toBe(64);
    expect(backend.calls).toEqual([]);
  });

  it('all chunks together are limited to the number of users of one message', async () => {
    const full = { ...chunk(0n, []), users: Array.from({ length: 250_000 }, () => rawUser({})) };
    await expect(session.syncUsersChunked(sent(full, full, chunk(0n, [{}], LAST)))).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: 'more than 500000 users in one message',
    });
    expect(backend.calls).toEqual([]);
  });

  it('a removal that arrives after all chunks is applied after all of them', async () => {
    const users = Array.from({ length: 5001 }, (_, index) => userMessage(`${index}.user`, `password ${index}`));
    const chunked = session.syncUsersChunked(sent(chunk(0n, users, LAST)));
    while (backend.calls.length === 0) await turn();
    await Promise.all([chunked, session.changeUsers([removal('5000.user')])]);
    expect(backend.calls.map((call) => call.split(' ').length - 1)).toEqual([5001, 1]);
    expect(Object.keys(backend.passwords)).toHaveLength(5002);
    expect(backend.passwords).not.toHaveProperty('5000.user');
    expect((await store.loadSession())?.users.map(({ email }) => email).sort()).toEqual(
      Object.keys(backend.passwords).sort(),
    );
  });

  it('chunks of up to 1,000 users are two steps, between which a change of another call comes', async () => {
    const change = backend.changeUsers.bind(backend);
    let other: Promise<void> | undefined;
    backend.changeUsers = async (users) => {
      other ??= session.changeUsers([removal('b')]);
      for (let turns = 0; turns < 5; turns += 1) await turn();
      return change(users);
    };
    const users = Array.from({ length: 1000 }, (_, index) => userMessage(`${index}.user`, `password ${index}`));
    await session.syncUsersChunked(sent(chunk(0n, users, LAST)));
    await other;
    expect(backend.calls.map((call) => call.split(' ').length - 1)).toEqual([500, 1, 500]);
    expect(Object.keys(backend.passwords)).toHaveLength(1001);
  });

  it('the error of chunks names refused and stale users, and all others are applied', async () => {
    await session.changeUsers([user('b', 'q', 9n)]);
    const chunks = [
      chunk(0n, [userMessage('a', 'q'), userMessage('c', 'r')]),
      chunk(1n, [userMessage('b', 'x', 8n)], LAST),
    ];
    await expect(session.syncUsersChunked(sent(...chunks))).rejects.toThrow('1 user refused: "a" (taken)');
    expect(session.refused).toEqual([{ email: 'a', reason: 'taken' }]);
    expect(backend.passwords).toEqual({ a: 'p', b: 'q', c: 'r' });
  });

  it('a user without a revision has that of its chunk', async () => {
    await session.syncUsersChunked(sent(chunk(0n, [userMessage('c', 'r')], { ...LAST, revision: 7n })));
    await expect(session.changeUsers([user('c', 's', 6n)])).rejects.toThrow('revision 6 is older than 7');
    await expect(
      session.syncUsersChunked(sent(chunk(0n, [userMessage('c', 's')], { ...LAST, revision: 6n }))),
    ).rejects.toMatchObject({
      code: 'STALE_REVISION',
      message: '1 user not changed: "c" (revision 6 is older than 7)',
    });
    expect(backend.passwords).toEqual({ a: 'p', b: 'q', c: 'r' });
  });
});
