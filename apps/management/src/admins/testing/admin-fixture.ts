import { expect } from '@jest/globals';
import { type EntityManager, Not } from 'typeorm';
import { AuditEntry } from '../../audit/audit-entry.entity.js';
import { TestManagement } from '../../testing/test-management.js';
import { Admin } from '../store/admin.entity.js';

export const PASSWORD = 'correct horse battery';
export const ADMIN_NOT_FOUND = { status: 404, body: { detail: 'Admin not found', code: 'ADMIN_NOT_FOUND' } };

/** The first admin of every test management, as the API shows it. */
export const ROOT = {
  username: 'root',
  telegram_id: null,
  discord_webhook: null,
  sub_domain: null,
  profile_title: null,
  support_url: null,
  notification_enable: null,
  max_users: null,
  id: 1,
  is_sudo: true,
  total_users: 0,
  used_traffic: 0,
  is_disabled: false,
  discord_id: null,
  sub_template: null,
  lifetime_used_traffic: 0,
  version: expect.any(String),
};

/** A request with every member that an admin can have. */
export const GIVEN = {
  telegram_id: 5_000_000_001,
  discord_webhook: 'https://discord.com/api/webhooks/1/abc?wait=true',
  sub_domain: 'https://*.example.com:8443/panel',
  profile_title: 'Link of {USERNAME}',
  support_url: 'https://t.me/support',
  notification_enable: { create: true, subscription_revoked: false },
  discord_id: '1044444444444444444',
  sub_template: 'page.html',
  max_users: 500,
};

/** The warnings of the answer when all members of GIVEN are stored. */
export const UNREAD_WARNINGS = [
  ...['telegram_id', 'discord_webhook', 'discord_id', 'notification_enable'].map((path) => ({
    path,
    code: 'no_effect',
    message: `${path} is stored, but has no effect: Rampart sends no notifications yet`,
  })),
  {
    path: 'sub_template',
    code: 'no_effect',
    message: 'sub_template is stored, but has no effect: all browsers get the one page of subscriptions',
  },
];

/** A management with helpers to create, change and read admins. */
export class AdminFixture {
  private constructor(readonly management: TestManagement) {}

  static async start(): Promise<AdminFixture> {
    return new AdminFixture(await TestManagement.start());
  }

  get manager(): EntityManager {
    return this.management.database.manager;
  }

  create(username: string, more: object = {}) {
    return this.management.call('POST', '/api/admin', { username, password: PASSWORD, is_sudo: false, ...more });
  }

  modify(username: string, change: object) {
    return this.management.call('PUT', `/api/admin/${username}`, change);
  }

  self(token: string) {
    return this.management.call('GET', '/api/admin', undefined, token);
  }

  /** A plain admin without optional members, as the API shows it. */
  async shown(username: string) {
    return { ...ROOT, username, id: await this.idOf(username), is_sudo: false };
  }

  async idOf(username: string): Promise<number> {
    return (await this.manager.findOneByOrFail(Admin, { username })).id;
  }

  /** The last entry of the audit log that is not a login. */
  async lastEntry() {
    const [entry] = await this.manager.find(AuditEntry, {
      where: { action: Not('admin.login') },
      order: { id: 'DESC' },
      take: 1,
    });
    return { actor: entry?.actor, action: entry?.action, target: entry?.target, difference: entry?.difference };
  }

  /** Expects that a call changes neither admins nor the audit log, and returns its result. */
  async changesNothing(call: () => Promise<unknown>): Promise<unknown> {
    const state = async () => [
      await this.manager.find(Admin, { order: { id: 'ASC' } }),
      await this.manager.count(AuditEntry),
    ];
    const before = await state();
    const answer = await call();
    expect(await state()).toEqual(before);
    return answer;
  }

  async removeOthers(): Promise<void> {
    await this.manager.query("DELETE FROM admins WHERE username <> 'root'");
    await this.manager.query('DELETE FROM users');
  }

  close(): Promise<void> {
    return this.management.close();
  }
}
