import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Backend, type DeepPartial, type RefusedUser, User } from '@rampart/node-client';
import type { BackendConfig, BackendUser, ProxyBackend } from '../backend/backend.js';
import { NodeError } from '../errors/node-error.js';
import { LogRing } from '../logs/log-ring.js';
import { TrafficMeter } from '../traffic/traffic-meter.js';
import { Session } from './session.js';

/** Serves users with a password that nobody else has; those of one call may take each other's. */
class BackendDouble implements ProxyBackend {
  readonly type = 'double';
  readonly version = '';
  running = false;
  readonly calls: string[] = [];
  /** What the next start throws. */
  failure?: NodeError;
  readonly passwords = new Map<string, string>();

  async start({ text }: BackendConfig, users: readonly BackendUser[]): Promise<RefusedUser[]> {
    this.calls.push(`start ${text}`);
    if (this.failure) throw this.failure;
    this.running = true;
    return this.replace(users);
  }

  async replaceUsers(users: readonly BackendUser[]): Promise<RefusedUser[]> {
    this.calls.push('replace');
    return this.replace(users);
  }

  async changeUsers(users: readonly BackendUser[]): Promise<RefusedUser[]> {
    this.calls.push(`change ${users.map(({ email }) => email).join(' ')}`);
    const others = new Map([...this.passwords].filter(([email]) => users.every((user) => user.email !== email)));
    const taken = new Set(others.values());
    return users.flatMap(({ email, credentials, inbounds }) => {
      const password = credentials.trojan?.password ?? '';
      if (inbounds.length === 0) this.passwords.delete(email);
      else if (taken.has(password)) return [{ email, reason: 'taken' }];
      else this.passwords.set(email, password);
      return [];
    });
  }

  async readTraffic(): Promise<void> {}

  async stop(): Promise<void> {
    this.calls.push('stop');
    this.running = false;
  }

  private replace(users: readonly BackendUser[]): RefusedUser[] {
    this.passwords.clear();
    for (const { email, credentials } of users) this.passwords.set(email, credentials.trojan?.password ?? '');
    return [];
  }
}

const user = (email: string, password: string, revision = 0n): User =>
  User.fromPartial({ email, proxies: { trojan: { password } }, inbounds: ['in'], revision });
const request = (config: string, others: DeepPartial<Backend> = {}) => Backend.fromPartial({ config, ...others });

/** One by one, as from a slow caller. */
async function* slowly(...users: User[]): AsyncGenerator<User> {
  for (const one of users) {
    yield one;
    await turn();
    await turn();
  }
}

describe('Session', () => {
  let backend: BackendDouble;
  let session: Session;

  beforeEach(async () => {
    backend = new BackendDouble();
    const traffic = new TrafficMeter(
      () => backend.readTraffic(),
      () => undefined,
    );
    session = new Session(backend, traffic, new LogRing());
    await session.start(request('{"a":1}', { users: [user('a', 'p'), user('b', 'q')], revision: 5n }));
    backend.calls.length = 0;
  });
  afterEach(() => session.stop());

  it('knows what runs after a Start that fails', async () => {
    backend.failure = new NodeError('START_FAILED', 'no');
    const other = request('{"b":1}', { users: [], revision: 9n, keepAlive: 1n });
    await expect(session.start(other)).rejects.toThrow('no');
    expect(session.started).toBe(true);
    await session.changeUsers([user('c', 'r', 6n)]);
    await session.start(request('{"a": 1}', { users: [user('a', 'p')], revision: 6n }));
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
    expect(Object.fromEntries(backend.passwords)).toEqual({ a: 'q', b: 'p' });
    expect(session.refused).toEqual([]);
    await expect(session.changeUsers([user('a', 'x', 5n)])).rejects.toThrow('revision 5 is older than 6');
  });

  it('takes two versions of one user in one step as two steps', async () => {
    await session.changeUsers([user('a', 'q', 6n), user('a', 'r', 7n), User.fromPartial({ email: 'b', revision: 8n })]);
    expect(backend.calls).toEqual(['change a', 'change a b']);
    expect(Object.fromEntries(backend.passwords)).toEqual({ a: 'r' });
    await expect(session.changeUsers([user('b', 's', 9n), user('a', 's', 6n)])).rejects.toThrow(
      '1 user not changed: "a" (revision 6 is older than 7)',
    );
  });

  it('does not bring back what was refused when something newer was said', async () => {
    async function* overtaken(): AsyncGenerator<User> {
      yield user('a', 'q');
      while (session.refused.length === 0) await turn();
      await session.changeUsers([user('a', 'newer'), User.fromPartial({ email: 'b' })]);
      yield user('c', 'r');
    }
    await expect(session.changeUsers(overtaken())).rejects.toThrow('1 user refused: "a" (taken)');
    expect(Object.fromEntries(backend.passwords)).toEqual({ a: 'newer', c: 'r' });
  });
});
