import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { TestManagement } from '../testing/test-management.js';
import { lockRevision } from './revision.js';

const CHANGES = 300;
const WAITING = 100;
/** Number of accepted changes: two of one admin run at once, the others wait in the queue. */
const ACCEPTED = WAITING + 2;
const FULL = {
  status: 503,
  body: { detail: 'Too many changes are waiting, try again in a moment', code: 'CHANGE_QUEUE_FULL' },
};

let management: TestManagement;
let hasty: string;
let subscription: string;
beforeAll(async () => {
  management = await TestManagement.start({ RAMPART_WAITING_CHANGES: `${WAITING}`, RAMPART_LOCK_SECONDS: '60' });
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
  hasty = await management.plainAdmin('hasty');
  const user = { username: 'alice', group_ids: [1] };
  const { body } = await management.call('POST', '/api/user', user, hasty);
  subscription = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
  await management.call('POST', '/api/user', { ...user, username: 'bob' });
});
afterAll(() => management?.close());

const change = (note: string) => management.call('PUT', '/api/user/alice', { note }, hasty);
const status = async (url: string) => (await management.call('GET', url)).status;

/** Runs `work` while a lock holds up all changes. */
async function whileNothingChanges<T>(work: () => Promise<T>): Promise<T> {
  const runner: QueryRunner = management.database.createQueryRunner();
  await runner.startTransaction();
  await lockRevision(runner.manager);
  try {
    return await work();
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

describe('one admin who sends hundreds of changes at once', () => {
  it('hundreds of changes by one admin delay no list, subscription or login, and no change of another admin is refused', async () => {
    const { changes, other } = await whileNothingChanges(async () => {
      const sent = Array.from({ length: CHANGES }, (_, index) => change(`note ${index}`));
      // Refusals are answered at once.
      const refused = await Promise.all(sent.slice(ACCEPTED));
      expect(refused).toEqual(Array(CHANGES - ACCEPTED).fill(FULL));
      expect(await status('/api/users?limit=10')).toBe(200);
      expect(await status(subscription)).toBe(200);
      expect(await management.login('hasty', 'correct horse battery')).toMatch(/^ey/);
      const answer = management.call('PUT', '/api/user/bob', { note: 'calm' });
      expect(await status('/api/users?limit=10')).toBe(200);
      return { changes: sent.slice(0, ACCEPTED), other: { answer } };
    });
    expect((await other.answer).status).toBe(200);
    expect(new Set((await Promise.all(changes)).map((answer) => answer.status))).toEqual(new Set([200]));
  });

  it('an admin whose change is refused learns when to try again, and then succeeds', async () => {
    const { sent, headers } = await whileNothingChanges(async () => {
      const sent = Array.from({ length: ACCEPTED }, (_, index) => change(`again ${index}`));
      const { headers } = await management.request('PUT', '/api/user/alice', { note: 'one more' }, hasty);
      return { sent, headers };
    });
    expect(headers['retry-after']).toBe('5');
    expect(new Set((await Promise.all(sent)).map((answer) => answer.status))).toEqual(new Set([200]));
    expect((await change('later')).status).toBe(200);
  });
});
