import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { HostHealthRepository } from '../hosts/host-health.repository.js';
import { make } from '../testing/mutations/mutation.js';
import { TestManagement } from '../testing/test-management.js';

const TAG = 'Shadowsocks TCP';
const NAMES = ['works', 'partly', 'fails', 'unknown', 'old', 'new'];

let management: TestManagement;
let path: string;
beforeAll(async () => {
  management = await TestManagement.start();
  await make(management, '/api/group', { name: 'all', inbound_tags: [TAG] });
  for (const remark of NAMES)
    await make(management, '/api/host', { remark, inbound_tag: TAG, address: ['a'], priority: 1 });
  const { body } = await management.call('POST', '/api/user', { username: 'alice', group_ids: [1] });
  path = new URL(String(Reflect.get(Object(body), 'subscription_url'))).pathname;
  await management.database.query(
    `INSERT INTO host_health (host_id, status, since, checked_at)
     SELECT id, CASE WHEN remark = 'old' THEN 'works' ELSE remark END, now(),
       now() - CASE WHEN remark = 'old' THEN interval '31 minutes' ELSE interval '29 minutes' END
     FROM hosts WHERE remark <> 'new'`,
  );
});
afterAll(() => management?.close());

async function shownStates(): Promise<string[][]> {
  const { payload } = await management.app.inject({
    url: path,
    headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' },
  });
  const summaries = /<ul class="servers">[\s\S]*/.exec(payload)?.[0] ?? '';
  const found = summaries.matchAll(
    /<summary><bdi>(\w+)<\/bdi>(?:<span class="state \w+">([^<]+)<\/span>)?<\/summary>/g,
  );
  return [...found].map(([, name = '', state = '']) => [name, state]);
}

const probe = (every_minutes: number) => management.call('PUT', '/api/settings/probes', { every_minutes });

it('the subscription page says nothing about servers that are not probed in rounds', async () => {
  expect(await shownStates()).toEqual(NAMES.map((name) => [name, '']));
});

it('the subscription page shows what the last three rounds of probes have found, with one query for many pages', async () => {
  expect((await probe(10)).status).toBe(200);
  const find = jest.spyOn(management.app.get(HostHealthRepository), 'findHealth');
  find.mockRejectedValueOnce(new Error('the database is away'));
  expect((await management.app.inject({ url: path, headers: { accept: 'text/html' } })).statusCode).toBe(500);
  const pages = await Promise.all([shownStates(), shownStates(), shownStates()]);
  for (const states of pages)
    expect(states).toEqual([
      ['works', 'works'],
      ['partly', 'unstable'],
      ['fails', 'does not answer'],
      ['unknown', ''],
      ['old', ''],
      ['new', ''],
    ]);
  expect(find).toHaveBeenCalledTimes(2);
});
