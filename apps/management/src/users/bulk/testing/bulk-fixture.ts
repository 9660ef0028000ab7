import type { ProxySettings, UserStatus } from '@rampart/domain';
import { PasswordHasher } from '../../../admins/passwords/password-hasher.js';
import { Admin } from '../../../admins/store/admin.entity.js';
import { currentRevision } from '../../../database/revision.js';
import { Group } from '../../../groups/group.entity.js';
import { SUDO, TestManagement } from '../../../testing/test-management.js';
import { User } from '../../../user-store/entities/user.entity.js';
import { UserGroup } from '../../../user-store/entities/user-group.entity.js';
import { UserProxySettings } from '../../../user-store/entities/user-proxy-settings.entity.js';
import { after, changedUsersAfter } from '../../../user-store/served/served-users.js';

export const TAG = 'Shadowsocks TCP';
export const DAY = 86_400;
const DAY_MS = DAY * 1_000;
/**
 * The start of the tests: longer ago than any test lasts and on a full second, so that shifts by days give exact
 * values.
 */
const START = Math.floor(Date.now() / 1_000) * 1_000;

/** Days from START; null: never. */
type Days = number | null;

/** Users of the admins 1 `root`, 2 `plain` and 3 `other`. Every test begins with exactly these. */
const USERS: Record<number, [adminId: number | null, UserStatus, ends: Days, limit: number, used: number, number[]]> = {
  11: [1, 'active', 10, 0, 7, [1]],
  12: [1, 'expired', -10, 100, 50, [1]],
  13: [2, 'active', 1, 100, 99, [1]],
  14: [2, 'limited', 10, 100, 100, [1, 2]],
  15: [2, 'disabled', -10, 100, 100, [1]],
  16: [3, 'on_hold', null, 100, 100, [2]],
  17: [null, 'active', null, 0, 0, []],
  18: [1, 'expired', -10, 100, 100, []],
  19: [1, 'limited', 1, 100, 150, [1]],
};

export type Stored = Record<number, [UserStatus, ends: Days, limit: number]>;

/** The initial users in the form that `stored` returns. */
export const BEFORE: Stored = Object.fromEntries(
  Object.entries(USERS).map(([id, [, status, ends, limit]]) => [id, [status, ends, limit]]),
);

export class BulkFixture {
  private constructor(
    readonly management: TestManagement,
    readonly plain: string,
  ) {}

  static async start(): Promise<BulkFixture> {
    const management = await TestManagement.start();
    const { manager } = management.database;
    const passwordHash = await management.app.get(PasswordHasher).hash(SUDO.password);
    await manager.insert(Admin, [
      { id: 2, username: 'plain', passwordHash },
      { id: 3, username: 'other', passwordHash },
    ]);
    await manager.insert(Group, [
      { id: 1, name: 'one', inboundTags: [TAG] },
      { id: 2, name: 'two', inboundTags: [TAG] },
    ]);
    return new BulkFixture(management, await management.login('plain', SUDO.password));
  }

  /** Restores all users to their initial state. */
  async reset(): Promise<void> {
    const { manager } = this.management.database;
    await manager.query('DELETE FROM users');
    await manager.insert(
      User,
      Object.entries(USERS).map(([id, [adminId, status, ends, dataLimit, usedTraffic]]) => ({
        id: Number(id),
        username: `user${id}`,
        status,
        expire: ends === null ? null : new Date(START + ends * DAY_MS),
        dataLimit,
        usedTraffic,
        onHoldExpireDuration: status === 'on_hold' ? 60 : null,
        adminId,
      })),
    );
    await manager.insert(
      UserProxySettings,
      Object.keys(USERS).map((id) => ({ userId: Number(id), proxySettings: settingsOf(Number(id)) })),
    );
    await manager.insert(
      UserGroup,
      Object.entries(USERS).flatMap(([id, { 5: groups }]) =>
        groups.map((groupId) => ({ userId: Number(id), groupId })),
      ),
    );
  }

  post(url: string, body: object, token?: string) {
    return this.management.call('POST', `/api/users/${url}`, body, token);
  }

  users(): Promise<User[]> {
    return this.management.database.manager.find(User, { order: { id: 'ASC' } });
  }

  async stored(): Promise<Stored> {
    const users = await this.users();
    return Object.fromEntries(
      users.map(({ id, status, expire, dataLimit }) => {
        return [id, [status, expire && (expire.getTime() - START) / DAY_MS, dataLimit]];
      }),
    );
  }

  revision(): Promise<bigint> {
    return currentRevision(this.management.database.manager);
  }

  /** The users that nodes were told of after this revision, with their inbound tags. */
  async nodeChangesSince(revision: bigint): Promise<[id: number, tags: readonly string[]][]> {
    const users = await changedUsersAfter(this.management.database.manager, after(revision), 1_000);
    return users.map(({ id, inboundTags }) => [id, inboundTags]);
  }

  close(): Promise<void> {
    return this.management.close();
  }
}

/** Credentials that contain the id of their user. */
export const settingsOf = (id: number): ProxySettings => ({
  vmess: { id: `00000000-0000-4000-8000-0000000000${id}` },
  vless: { id: `00000000-0000-4000-8000-0000000000${id}`, flow: id === 12 ? 'xtls-rprx-vision' : '' },
  trojan: { password: `trojan of ${id}` },
  shadowsocks: { password: `shadowsocks of ${id}`, method: 'chacha20-ietf-poly1305' },
});

export const done = (users: number) => ({
  status: 200,
  body: { detail: `operation has been successfuly done on ${users} users` },
});

export const wouldChange = (users: number) => ({ status: 200, body: { dry_run: true, affected_users: users } });
