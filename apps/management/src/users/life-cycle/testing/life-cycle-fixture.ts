import { currentRevision } from '../../../database/revision.js';
import { TestManagement } from '../../../testing/test-management.js';
import { User } from '../../../user-store/entities/user.entity.js';
import { UserTrafficReset } from '../../../user-store/entities/user-traffic-reset.entity.js';
import { after, changedUsersAfter } from '../../../user-store/served/served-users.js';
import type { UserView } from '../../view/user.dto.js';
import { UserLifeCycle } from '../user-life-cycle.js';

export const TAG = 'Shadowsocks TCP';
export const SECOND = 1000;
export const DAY = 86_400 * SECOND;

/** Matches the end of a period of this many seconds that begins about now. */
export const inSeconds = (seconds: number) => ({
  asymmetricMatch: (moment: unknown) =>
    Math.abs(Date.parse(String(moment)) - Date.now() - seconds * SECOND) < 10 * SECOND,
});

/** Creates users through the API, and runs the life cycle at moments that tests choose. */
export class LifeCycleFixture {
  private users = 0;
  private revision = 0n;

  private constructor(readonly management: TestManagement) {}

  static async start(settings: Record<string, string> = {}): Promise<LifeCycleFixture> {
    const fixture = new LifeCycleFixture(await TestManagement.start(settings));
    await fixture.management.call('POST', '/api/group', { name: 'one', inbound_tags: [TAG] });
    await fixture.management.call('POST', '/api/group', { name: 'two', inbound_tags: [TAG] });
    return fixture;
  }

  get manager() {
    return this.management.database.manager;
  }

  close(): Promise<void> {
    return this.management.close();
  }

  /** Deletes the users of the previous test. */
  async clear(): Promise<void> {
    await this.manager.query('DELETE FROM users');
    await this.manager.query('DELETE FROM user_tombstones');
  }

  /** Creates a user of group 1 through the API, then writes columns that no request can set. */
  async user(request: object = {}, columns: Partial<Omit<User, 'admin'>> = {}): Promise<UserView> {
    this.users += 1;
    const username = `user${this.users}`;
    const body = { username, group_ids: [1], ...request };
    const answer = await this.management.call('POST', '/api/user', body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer));
    if (Object.keys(columns).length > 0) await this.manager.update(User, { username }, columns);
    this.revision = await currentRevision(this.manager);
    return this.shown(username);
  }

  async shown(username: string): Promise<UserView> {
    return Object((await this.management.call('GET', `/api/user/${username}`)).body);
  }

  /** The moment this many milliseconds from now. */
  later(milliseconds: number): Date {
    return new Date(Date.now() + milliseconds);
  }

  async run(at?: Date): Promise<void> {
    await this.management.app.get(UserLifeCycle).run(at);
  }

  /** The users that nodes were told of since the last user was created. */
  async nodeChanges(): Promise<[email: string, inboundTags: readonly string[]][]> {
    const changed = await changedUsersAfter(this.manager, after(this.revision), 100_000);
    return changed.map(({ email, inboundTags }) => [email, inboundTags]);
  }

  async template(template: object): Promise<number> {
    const name = `template ${Math.random()}`;
    const { body } = await this.management.call('POST', '/api/user_template', { name, group_ids: [1], ...template });
    return Number(Object(body).id);
  }

  async resets(userId: number): Promise<number[]> {
    const rows = await this.manager.find(UserTrafficReset, { where: { userId }, order: { id: 'ASC' } });
    return rows.map(({ usedTraffic }) => usedTraffic);
  }
}
