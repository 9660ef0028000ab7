import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NodeError } from '../errors/node-error.js';
import { LogRing } from '../logs/log-ring.js';
import { NodeLog } from '../logs/node-log.js';
import { MemorySessionStore } from '../testing/nodes/memory-session-store.js';
import type { RawUser } from '../wire/raw-user.js';
import { Session } from './session.js';
import { BackendDouble, removal, startRequest, user, userMessage } from './testing/backend-double.js';

/** Yields users one by one, like a slow caller. */
async function* slowly(...users: RawUser[]): AsyncGenerator<RawUser> {
  for (const one of users) {
    yield one;
    await turn();
    await turn();
  }
}

describe(Session.name, () => {
  let backend: BackendDouble;
  let store: MemorySessionStore;
  let session: Session;
  /** A new process of the node, with the state of the previous one. */
  const open = () =>
    new Session(
      backend,
      { startReading: () => undefined, stopReading: () => undefined },
      new NodeLog(new LogRing()),
      store,
    );

  beforeEach(async () => {
    backend = new BackendDouble();
    store = new MemorySessionStore();
    session = open();
    await session.start(
      startRequest('{"a":1}', { users: [userMessage('a', 'p'), userMessage('b', 'q')], revision: 5n }),
    );
    backend.calls.length = 0;
  });
  afterEach(() => session.stop());

  it('the previous configuration stays the current one after a failed Start', async () => {
    backend.failure = new NodeError('START_FAILED', 'no');
    const other = startRequest('{"b":1}', { users: [], revision: 9n, keepAlive: 1n });
    await expect(session.start(other)).rejects.toThrow('no');
    expect(session.started).toBe(true);
    await session.changeUsers([user('c', 'r', 6n)]);
    await session.start(startRequest('{"a": 1}', { users: [userMessage('a', 'p')], revision: 6n }));
    expect(backend.calls).toEqual(['start {"b":1}', 'change c', 'replace']);
  });

  it('no session is started after a failed first Start, or after Stop', async () => {
    await session.stop();
    expect(session.started).toBe(false);
    backend.failure = new NodeError('START_FAILED', 'no');
    await expect(session.start(startRequest('{}'))).rejects.toThrow('no');
    expect(session.started).toBe(false);
    await expect(session.changeUsers([user('a', 'p')])).rejects.toThrow('backend not initialized');
  });

  it('users of one stream can exchange credentials, however the stream is split into steps', async () => {
    await session.changeUsers(slowly(user('a', 'q', 6n), user('b', 'p', 7n)));
    expect(backend.calls).toEqual(['change a', 'change b', 'change a b']);
    expect(backend.passwords).toEqual({ a: 'q', b: 'p' });
    expect(session.refused).toEqual([]);
    await expect(session.changeUsers([user('a', 'x', 5n)])).rejects.toThrow('revision 5 is older than 6');
  });

  it('two versions of one user that arrive together are applied one after the other', async () => {
    await session.changeUsers([user('a', 'q', 6n), user('a', 'r', 7n), removal('b', 8n)]);
    expect(backend.calls).toEqual(['change a', 'change a b']);
    expect(backend.passwords).toEqual({ a: 'r' });
    await expect(session.changeUsers([user('b', 's', 9n), user('a', 's', 6n)])).rejects.toThrow(
      '1 user not changed: "a" (revision 6 is older than 7)',
    );
  });

  it('a refused change is not retried after a newer change of the same user', async () => {
    async function* overtaken(): AsyncGenerator<RawUser> {
      yield user('a', 'q');
      while (session.refused.length === 0) await turn();
      await session.changeUsers([user('a', 'newer'), removal('b')]);
      yield user('c', 'r');
    }
    await expect(session.changeUsers(overtaken())).rejects.toThrow('1 user refused: "a" (taken)');
    expect(backend.passwords).toEqual({ a: 'newer', c: 'r' });
  });

  it('a Start that is repeated before its answer starts the engine once', async () => {
    await session.stop();
    backend.calls.length = 0;
    let go = (): void => undefined;
    backend.startAfter = new Promise<void>((resolve) => {
      go = resolve;
    });
    const same = () => session.start(startRequest('{"c":1}', { users: [userMessage('a', 'p')] }));
    const both = [same(), same()];
    go();
    await Promise.all(both);
    expect(backend.calls).toEqual(['start {"c":1}', 'replace']);
  });

  it('warnings of the session include those of the backend', () => {
    expect(session.warnings).toEqual(['a warning']);
    store.problem = 'the disk is full';
    expect(session.warnings).toEqual(['a warning', 'the disk is full']);
  });

  describe('after a restart of the node', () => {
    const restart = async () => {
      await session.close();
      backend.calls.length = 0;
      session = open();
      await session.restoreSavedSession();
    };

    it('a restored session has all changes, and refuses late ones', async () => {
      await session.changeUsers([user('a', 'x', 7n), removal('b', 8n), user('c', 'r')]);
      await restart();
      expect(backend.calls).toEqual(['end orphans', 'start {"a":1}']);
      expect(backend.passwords).toEqual({ a: 'x', c: 'r' });
      expect(session.started).toBe(true);
      await expect(session.changeUsers([user('b', 'q', 6n), user('a', 'p', 6n), user('d', 's', 4n)])).rejects.toThrow(
        '3 users not changed: "b" (revision 6 is older than 8), "a" (revision 6 is older than 7), ' +
          '"d" (revision 4 is older than 5)',
      );
      await expect(session.syncUsers([], 7n)).rejects.toThrow('revision 7 is older than 8, the last one applied');
      await session.start(startRequest('{"a": 1}', { users: [userMessage('a', 'x')], revision: 8n }));
      expect(backend.calls.at(-1)).toBe('replace');
    });

    it('nothing is restored after a Stop, but orphaned engines are still searched for', async () => {
      await session.stop();
      await restart();
      expect(backend.calls).toEqual(['end orphans']);
      expect(session.started).toBe(false);
    });

    it('an engine that the previous node has left is ended after a Stop, and kept for a session that is restored', async () => {
      await session.leave();
      expect(backend.calls).toEqual(['leave']);
      session = open();
      await session.restoreSavedSession();
      expect(backend.leftEngines).toBe(true);
      await session.stop();
      await restart();
      expect(backend.leftEngines).toBe(false);
    });

    it('calls of a restarted node wait until the session is restored', async () => {
      await session.close();
      session = open();
      const restored = session.restoreSavedSession();
      const changed = session.changeUsers([user('c', 'r')]);
      await Promise.all([restored, changed]);
      expect(backend.passwords).toEqual({ a: 'p', b: 'q', c: 'r' });
    });

    it('a restored session does not contain refused users', async () => {
      await expect(session.changeUsers([user('a', 'q')])).rejects.toThrow('taken');
      await restart();
      expect(backend.passwords).toEqual({ a: 'p', b: 'q' });
    });

    it('a restored session does not contain users whom the engine itself refused', async () => {
      backend.unwanted = 'a';
      await expect(session.changeUsers([user('a', 'x', 6n)])).rejects.toThrow('1 user refused: "a" (unwanted)');
      backend.unwanted = undefined;
      await restart();
      expect(backend.passwords).toEqual({ b: 'q' });
    });

    it('a restored session drops users who are refused now', async () => {
      backend.unwanted = 'a';
      await restart();
      expect([backend.passwords, session.refused]).toEqual([{ b: 'q' }, [{ email: 'a', reason: 'unwanted' }]]);
      backend.unwanted = undefined;
      await restart();
      expect(backend.passwords).toEqual({ b: 'q' });
    });

    describe('on a machine with a problem', () => {
      beforeEach(() => {
        jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
      });
      afterEach(() => {
        jest.useRealTimers();
      });

      it('a failed restore is retried until the engine runs', async () => {
        backend.failure = new NodeError('START_FAILED', 'the port is taken');
        await restart();
        expect(session.started).toBe(false);
        expect(session.warnings).toEqual(['a warning', 'the saved session was not started again: the port is taken']);
        await jest.advanceTimersByTimeAsync(5000);
        backend.failure = undefined;
        await jest.advanceTimersByTimeAsync(5000);
        expect(backend.calls).toEqual(['end orphans', 'start {"a":1}', 'start {"a":1}', 'start {"a":1}']);
        expect([session.started, backend.passwords]).toEqual([true, { a: 'p', b: 'q' }]);
        expect(session.warnings).toEqual(['a warning']);
      });

      it('the restore is not retried after a Start or Stop', async () => {
        backend.failure = new NodeError('START_FAILED', 'the port is taken');
        await restart();
        await session.stop();
        expect(session.warnings).toEqual(['a warning']);
        await jest.advanceTimersByTimeAsync(60_000);
        expect(backend.calls).toEqual(['end orphans', 'start {"a":1}', 'stop']);
      });

      it.each([
        ['CONFIG_REFUSED', false],
        ['START_FAILED', true],
        ['SHUTTING_DOWN', true],
      ] as const)(
        'an engine that the previous node has left is kept after a restore that fails with %s: %p',
        async (code, kept) => {
          backend.failure = new NodeError(code, 'no');
          await restart();
          expect(backend.leftEngines).toBe(kept);
        },
      );

      it('a refused configuration is not restored again', async () => {
        backend.failure = new NodeError('CONFIG_REFUSED', 'no');
        await restart();
        await jest.advanceTimersByTimeAsync(60_000);
        expect(backend.calls).toEqual(['end orphans', 'start {"a":1}']);
      });
    });
  });
});
