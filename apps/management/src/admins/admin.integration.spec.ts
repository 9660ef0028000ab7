import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { SUDO } from '../testing/test-management.js';
import { AdminService } from './admin.service.js';
import { Admin } from './store/admin.entity.js';
import { AdminFixture, GIVEN, PASSWORD, ROOT, UNREAD_WARNINGS } from './testing/admin-fixture.js';

/** What only the admin itself is shown. */
const OWN = { must_set_up_totp: false, passwords_without_code: [] };

let fixture: AdminFixture;
beforeAll(async () => {
  fixture = await AdminFixture.start();
});
afterAll(() => fixture?.close());
beforeEach(() => fixture.removeOthers());

describe('GET /api/admin', () => {
  it('returns the caller, with the members in the order that clients know', async () => {
    const answer = await fixture.management.call('GET', '/api/admin');
    expect(answer).toEqual({ status: 200, body: { ...ROOT, ...OWN } });
    expect(Object.keys(Object(answer.body))).toEqual(Object.keys({ ...ROOT, ...OWN }));
  });
});

describe('POST /api/admin', () => {
  it('creates an admin who can log in', async () => {
    const answer = await fixture.create('plain', { ...GIVEN, is_disabled: null });
    const id = await fixture.idOf('plain');
    const created = { ...ROOT, ...GIVEN, username: 'plain', id, is_sudo: false };
    expect(answer).toEqual({ status: 201, body: { ...created, warnings: UNREAD_WARNINGS } });
    expect(await fixture.self(await fixture.management.login('plain', PASSWORD))).toEqual({
      status: 200,
      body: { ...created, ...OWN },
    });
    const { discord_webhook, ...shown } = GIVEN;
    expect(await fixture.lastEntry()).toEqual({
      actor: 'root',
      action: 'admin.create',
      target: 'admin/plain',
      difference: expect.objectContaining({
        discord_webhook: { after: '***' },
        profile_title: { after: shown.profile_title },
      }),
    });
    expect(JSON.stringify(await fixture.manager.find(AuditEntry))).not.toContain(discord_webhook);
  });

  it('stores empty texts as null and exact numbers unchanged, and removes the slash after the domain', async () => {
    const empty = {
      discord_webhook: '',
      sub_domain: 'http://sub.example/',
      profile_title: '',
      support_url: '',
      sub_template: '',
    };
    expect(await fixture.create('plain', { ...empty, discord_id: 77 })).toMatchObject({
      status: 201,
      body: { discord_webhook: null, sub_domain: 'http://sub.example', profile_title: null, discord_id: 77 },
    });
  });

  it('security row 8: ignores members that a request may not set', async () => {
    const extra = {
      id: 77,
      token_version: 9,
      used_traffic: 5,
      lifetime_used_traffic: 5,

      total_users: 5,
      password_hash: 'x',
    };
    const { body } = await fixture.create('plain', extra);
    expect(body).toEqual({ ...(await fixture.shown('plain')), warnings: [] });
    expect(await fixture.idOf('plain')).not.toBe(77);
    expect(await fixture.manager.findOneBy(Admin, { username: 'plain' })).toMatchObject({
      tokenVersion: 0,
      usedTraffic: 0,
    });
  });

  it('refuses a name that is taken', async () => {
    expect(await fixture.changesNothing(() => fixture.create('root'))).toEqual({
      status: 409,
      body: { detail: 'Admin already exists', code: 'ADMIN_EXISTS' },
    });
  });

  it('names the fields that are missing', async () => {
    expect(await fixture.changesNothing(() => fixture.management.call('POST', '/api/admin', {}))).toEqual({
      status: 422,
      body: {
        detail: { username: 'Field required', password: 'Field required', is_sudo: 'Field required' },
        code: 'INVALID_FIELDS',
      },
    });
  });

  const NAME = 'Username must be 3-128 characters of a-z, A-Z, 0-9, -, _, @ and .';
  const URL_MESSAGE = 'Input should be an http or https URL';
  const DOMAIN = 'Input should be an http or https URL without query';
  const SNOWFLAKE = 'Input should be an integer, beyond 9007199254740991 in a string';
  it.each([
    ['username', 'ab', NAME],
    ['username', 'a'.repeat(129), NAME],
    ['username', 'имя', NAME],
    ['username', 'a/b/c', NAME],
    ['username', 'system', 'Username must not be system'],
    ['username', 'local', 'Username must not be local'],
    ['username', 7, 'Input should be a string'],
    ['password', 'short horse', 'Password must have at least 12 characters'],
    ['password', 'x'.repeat(1025), 'Password must have at most 1024 characters'],
    ['password', 'NEW-ADMIN-NAME', 'Password must not be the username'],
    ['password', null, 'Field required'],
    ['is_sudo', 'yes', 'Input should be true or false'],
    ['is_disabled', 1, 'Input should be true or false'],
    ['telegram_id', '7', 'Input should be an integer from 1 to 9007199254740991'],
    ['telegram_id', 0, 'Input should be an integer from 1 to 9007199254740991'],
    ['discord_id', 1e19, SNOWFLAKE],
    ['discord_id', '0', SNOWFLAKE],
    ['discord_id', '12345678901234567890', SNOWFLAKE],
    ['max_users', -1, 'Input should be an integer from 0 to 2147483647'],
    ['max_users', 1.5, 'Input should be an integer from 0 to 2147483647'],
    ['max_users', 2 ** 31, 'Input should be an integer from 0 to 2147483647'],
    ['discord_webhook', 'javascript:alert(1)', URL_MESSAGE],
    ['discord_webhook', `https://a/${'x'.repeat(1024)}`, 'Input should have at most 1024 characters'],
    ['support_url', 'tg://support', URL_MESSAGE],
    ['support_url', 'https://a/\r\nx: y', URL_MESSAGE],
    ['support_url', 'https://anna:secret@a', URL_MESSAGE],
    ['sub_domain', 'sub.example', DOMAIN],
    ['sub_domain', 'https://a?b', DOMAIN],
    ['sub_domain', `https://${'a'.repeat(256)}`, 'Input should have at most 256 characters'],
    ['profile_title', 'x'.repeat(513), 'Input should have at most 512 characters'],
    ['profile_title', '{USER}', expect.stringContaining('USER')],
    ['sub_template', 'x'.repeat(1025), 'Input should have at most 1024 characters'],
    ['notification_enable', [], 'Input should be an object'],
    ['notification_enable.create', undefined, 'Input should be true or false'],
  ])('refuses %s %.40j', async (field, value, message) => {
    const given = field === 'notification_enable.create' ? { notification_enable: { create: 1 } } : { [field]: value };
    expect(await fixture.changesNothing(() => fixture.create('new-admin-name', given))).toEqual({
      status: 422,
      body: { detail: { [field]: message }, code: 'INVALID_FIELDS' },
    });
  });
});

describe('the first admin', () => {
  it('is created only while there is no sudo admin', async () => {
    expect(await fixture.management.app.get(AdminService).createFirst('another', PASSWORD)).toBe(false);
    expect(await fixture.manager.existsBy(Admin, { username: 'another' })).toBe(false);
  });

  it('is in the audit log, created by the system', async () => {
    const [entry] = await fixture.manager.find(AuditEntry, { order: { id: 'ASC' }, take: 1 });
    expect(entry).toMatchObject({ actor: 'system', action: 'admin.create', target: `admin/${SUDO.username}` });
  });
});
