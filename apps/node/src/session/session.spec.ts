import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  Backend as BackendMessage,
  type DeepPartial,
  type RefusedUser,
  type User,
  UsersChunk,
  UsersDigest,
  userDigest,
} from '@rampart/node-client';
import type { BackendConfig, ServedUsers } from '../backend/backend.js';
import { NodeError } from '../errors/node-error.js';
import { LogRing } from '../logs/log-ring.js';
import { MemorySessionStore } from '../testing/memory-session-store.js';
import { rawUser } from '../testing/raw-users.js';
import { decodeBackend, decodeUsersChunk, type RawUsersChunk } from '../wire/raw-messages.js';
import { decodeUser, type RawUser } from '../wire/raw-user.js';
import { Session } from './session.js';

/** Serves users with a password that nobody else has; those of one call may take each other's. */
class BackendDouble {
  running = false;
  readonly warnings = ['a warning'];
  readonly calls: string[] = [];
  /** What the next start throws. */
  failure?: NodeError;
  /** What a start waits for. */
  gate: Promise<unknown> = Promise.resolve();
  private readonly served = new Map<string, RawUser>();

  get users(): ServedUsers {
    const digest = new UsersDigest();
    for (const user of this.served.values()) digest.add(userDigest(decodeUser(user)));
    return { count: this.served.size, digest: digest.value, all: () => this.served.values() };
  }

  get passwords(): Record<string, string> {
    return Object.fromEntries([...this.served].map(([email, user]) => [email, passwordOf(user)]));
  }

  async start({ text }: BackendConfig, users: readonly RawUser[]): Promise<RefusedUser[]> {
    this.calls.push(`start ${text}`);
    await this.gate;
    if (this.failure) throw this.failure;
    this.running = true;
    return this.replace(users);
  }

  async replaceUsers(users: readonly RawUser[]): Promise<RefusedUser[]> {
    this.calls.push('replace');
    return this.replace(users);
  }

  async changeUsers(users: readonly RawUser[]): Promise<RefusedUser[]> {
    this.calls.push(`change ${users.map(({ email }) => email).join(' ')}`);
    const others = [...this.served.values()].filter(({ email }) => users.every((user) => user.email !== email));
    const taken = new Set(others.map(passwordOf));
    return users.flatMap((user) => {
      if (!user.present) this.served.delete(user.email);
      else if (taken.has(passwordOf(user))) return [{ email: user.email, reason: 'taken' }];
      else this.served.set(user.email, user);
      return [];
    });
  }

  async endOrphans(): Promise<void> {
    this.calls.push('end orphans');
  }

  async stop(): Promise<void> {
    this.calls.push('stop');
    this.running = false;
    this.served.clear();
  }

  private replace(users: readonly RawUser[]): RefusedUser[] {
    this.served.clear();
    for (const user of users) this.served.set(user.email, user);
    return [];
  }
}

const passwordOf = (raw: RawUser): string => decodeUser(raw).proxies?.trojan?.password ?? '';
const userMessage = (email: string, password: string, revision = 0n): DeepPartial<User> => ({
  ...{ email, proxies: { trojan: { password } }, inbounds: ['in'], revision },
});
const user = (email: string, password: string, revision = 0n): RawUser =>
  rawUser(userMessage(email, password, revision));
const gone = (email: string, revision = 0n): RawUser => rawUser({ email, revision });
const request = (config: string, others: DeepPartial<BackendMessage> = {}) =>
  decodeBackend(BackendMessage.encode(BackendMessage.fromPartial({ config, ...others })).finish());

/** One by one, as from a slow caller. */
async function* slowly(...users: RawUser[]): AsyncGenerator<RawUser> {
  for (const one of users) {
    yield one;
    await turn();
    await turn();
  }
}

describe('Session', () => {
  let backend: BackendDouble;
  let store: MemorySessionStore;
  let session: Session;
  /** Another life of the node's process, with the state of the one before. */
  const open = () => new Session(backend, { run: () => undefined, halt: () => undefined }, new LogRing(), store);

  beforeEach(async () => {
    backend = new BackendDouble();
    store = new MemorySessionStore();
    session = open();
    await session.start(request('{"a":1}', { users: [userMessage('a', 'p'), userMessage('b', 'q')], revision: 5n }));
    backend.calls.length = 0;
  });
  afterEach(() => session.stop());

  it('knows what runs after a Start that fails', async () => {
    backend.failure = new NodeError('START_FAILED', 'no');
    const other = request('{"b":1}', { users: [], revision: 9n, keepAlive: 1n });
    await expect(session.start(other)).rejects.toThrow('no');
    expect(session.started).toBe(true);
    await session.changeUsers([user('c', 'r', 6n)]);
    await session.start(request('{"a": 1}', { users: [userMessage('a', 'p')], revision: 6n }));
    expect(backend.calls).toEqual(['start {"b":1}', 'change c', 'replace']);
  });

  it('has nothing started after a first Start that fails, or after Stop', async () => {
    await session.stop();
    expect(session.started).toBe(false);
    backend.failure = new NodeError('START_FAILED', 'no');
    await expect(session.start(request('{}'))).rejects.toThrow('no');
    expect(session.started).toBe(false);
    await expect(session.changeUsers([user('a', 'p')])).rejects.toThrow('backend not initialized');
  });

  it('lets users of one stream exchange credentials, however it is cut into steps', async () => {
    await session.changeUsers(slowly(user('a', 'q', 6n), user('b', 'p', 7n)));
    expect(backend.calls).toEqual(['change a', 'change b', 'change a b']);
    expect(backend.passwords).toEqual({ a: 'q', b: 'p' });
    expect(session.refused).toEqual([]);
    await expect(session.changeUsers([user('a', 'x', 5n)])).rejects.toThrow('revision 5 is older than 6');
  });

  it('takes two versions of one user in one step as two steps', async () => {
    await session.changeUsers([user('a', 'q', 6n), user('a', 'r', 7n), gone('b', 8n)]);
    expect(backend.calls).toEqual(['change a', 'change a b']);
    expect(backend.passwords).toEqual({ a: 'r' });
    await expect(session.changeUsers([user('b', 's', 9n), user('a', 's', 6n)])).rejects.toThrow(
      '1 user not changed: "a" (revision 6 is older than 7)',
    );
  });

  it('does not bring back what was refused when something newer was said', async () => {
    async function* overtaken(): AsyncGenerator<RawUser> {
      yield user('a', 'q');
      while (session.refused.length === 0) await turn();
      await session.changeUsers([user('a', 'newer'), gone('b')]);
      yield user('c', 'r');
    }
    await expect(session.changeUsers(overtaken())).rejects.toThrow('1 user refused: "a" (taken)');
    expect(backend.passwords).toEqual({ a: 'newer', c: 'r' });
  });

  it('starts once when a caller asks again before the answer', async () => {
    await session.stop();
    backend.calls.length = 0;
    let go = (): void => undefined;
    backend.gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const same = () => session.start(request('{"c":1}', { users: [userMessage('a', 'p')] }));
    const both = [same(), same()];
    go();
    await Promise.all(both);
    expect(backend.calls).toEqual(['start {"c":1}', 'replace']);
  });

  it('tells what an operator should know', () => {
    expect(session.warnings).toEqual(['a warning']);
    store.problem = 'the disk is full';
    expect(session.warnings).toEqual(['a warning', 'the disk is full']);
  });

  describe('in chunks', () => {
    const chunk = (index: bigint, users: DeepPartial<User>[], others: DeepPartial<UsersChunk> = {}) =>
      decodeUsersChunk(UsersChunk.encode(UsersChunk.fromPartial({ index, users, ...others })).finish());
    const LAST = { last: true };
    async function* sent(...chunks: RawUsersChunk[]): AsyncGenerator<RawUsersChunk> {
      yield* chunks;
    }

    it('changes only those who are listed, whatever the order, and nothing after the last one', async () => {
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
    ])('changes nothing: %s', async (message, chunks) => {
      await expect(session.syncUsersChunked(sent(...chunks))).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message,
      });
      expect(backend.calls).toEqual([]);
    });

    it('takes no more than one message may have', async () => {
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

    it('names who is refused or overtaken, and applies all others', async () => {
      await session.changeUsers([user('b', 'q', 9n)]);
      const chunks = [
        chunk(0n, [userMessage('a', 'q'), userMessage('c', 'r')]),
        chunk(1n, [userMessage('b', 'x', 8n)], LAST),
      ];
      await expect(session.syncUsersChunked(sent(...chunks))).rejects.toThrow('1 user refused: "a" (taken)');
      expect(session.refused).toEqual([{ email: 'a', reason: 'taken' }]);
      expect(backend.passwords).toEqual({ a: 'p', b: 'q', c: 'r' });
    });

    it('is as old as its chunk', async () => {
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

  describe('after the node came up again', () => {
    const restart = async () => {
      await session.close();
      backend.calls.length = 0;
      session = open();
      await session.restore();
    };

    it('runs what ran, with the changes since, and knows what is late', async () => {
      await session.changeUsers([user('a', 'x', 7n), gone('b', 8n), user('c', 'r')]);
      await restart();
      expect(backend.calls).toEqual(['end orphans', 'start {"a":1}']);
      expect(backend.passwords).toEqual({ a: 'x', c: 'r' });
      expect(session.started).toBe(true);
      await expect(session.changeUsers([user('b', 'q', 6n), user('a', 'p', 6n), user('d', 's', 4n)])).rejects.toThrow(
        '3 users not changed: "b" (revision 6 is older than 8), "a" (revision 6 is older than 7), ' +
          '"d" (revision 4 is older than 5)',
      );
      await expect(session.syncUsers([], 7n)).rejects.toThrow('revision 7 is older than 8, the last one applied');
      await session.start(request('{"a": 1}', { users: [userMessage('a', 'x')], revision: 8n }));
      expect(backend.calls.at(-1)).toBe('replace');
    });

    it('runs nothing after a Stop, and looks for orphans all the same', async () => {
      await session.stop();
      await restart();
      expect(backend.calls).toEqual(['end orphans']);
      expect(session.started).toBe(false);
    });

    it('lets calls wait for it', async () => {
      await session.close();
      session = open();
      const restored = session.restore();
      const changed = session.changeUsers([user('c', 'r')]);
      await Promise.all([restored, changed]);
      expect(backend.passwords).toEqual({ a: 'p', b: 'q', c: 'r' });
    });

    it('does not remember who was refused', async () => {
      await expect(session.changeUsers([user('a', 'q')])).rejects.toThrow('taken');
      await restart();
      expect(backend.passwords).toEqual({ a: 'p', b: 'q' });
    });

    describe('on a machine at fault', () => {
      beforeEach(() => {
        jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
      });
      afterEach(() => {
        jest.useRealTimers();
      });

      it('tries again until it runs', async () => {
        backend.failure = new NodeError('START_FAILED', 'the port is taken');
        await restart();
        expect(session.started).toBe(false);
        await jest.advanceTimersByTimeAsync(5000);
        backend.failure = undefined;
        await jest.advanceTimersByTimeAsync(5000);
        expect(backend.calls).toEqual(['end orphans', 'start {"a":1}', 'start {"a":1}', 'start {"a":1}']);
        expect([session.started, backend.passwords]).toEqual([true, { a: 'p', b: 'q' }]);
      });

      it('gives up when somebody else decides', async () => {
        backend.failure = new NodeError('START_FAILED', 'the port is taken');
        await restart();
        await session.stop();
        await jest.advanceTimersByTimeAsync(60_000);
        expect(backend.calls).toEqual(['end orphans', 'start {"a":1}', 'stop']);
      });

      it('does not try again what is refused for what it is', async () => {
        backend.failure = new NodeError('CONFIG_REFUSED', 'no');
        await restart();
        await jest.advanceTimersByTimeAsync(60_000);
        expect(backend.calls).toEqual(['end orphans', 'start {"a":1}']);
      });
    });
  });
});
