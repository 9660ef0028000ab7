import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestManagement } from '../../testing/test-management.js';
import { User } from '../../user-store/entities/user.entity.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

it('each change of a user writes an audit entry without credentials, and a refused change writes none', async () => {
  const url = '/api/user/audited';
  await management.call('POST', '/api/user', { username: 'audited', note: 'a friend' });
  await management.database.manager.update(User, { username: 'audited' }, { usedTraffic: 300 });
  await management.call('PUT', url, { note: 'other' });
  await management.call('PUT', url, { data_limit: -1 });
  await management.call('POST', `${url}/reset`);
  await management.call('POST', `${url}/active_next`);
  await management.call('POST', `${url}/revoke_sub`);

  const { entries } = Object((await management.call('GET', '/api/audit?target=user/audited')).body);
  expect(entries.map(({ actor, action }: Record<string, unknown>) => [actor, action])).toEqual(
    ['user.revoke', 'user.reset', 'user.modify', 'user.create'].map((action) => ['root', action]),
  );
  const [revoke, reset, modify] = entries.map(({ difference }: Record<string, unknown>) => difference);
  expect(modify).toEqual({
    note: { before: 'a friend', after: 'other' },
    edit_at: { before: null, after: expect.any(String) },
  });
  expect(reset).toEqual({ used_traffic: { before: 300, after: 0 } });
  expect(Object.keys(revoke)).toEqual(expect.arrayContaining(['proxy_settings.trojan.password', 'subscription_url']));
  const { proxy_settings, subscription_url } = Object((await management.call('GET', url)).body);
  const { vmess, vless, trojan, shadowsocks } = proxy_settings;
  for (const secret of [vmess.id, vless.id, trojan.password, shadowsocks.password, subscription_url]) {
    expect(JSON.stringify(entries)).not.toContain(secret);
  }
});
