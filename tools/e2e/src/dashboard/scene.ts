import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, freePort, ProgramProcess } from '@rampart/testing';
import { type MovedClock, movedClock } from '../testing/moved-clock.js';
import { DashboardBrowser } from './dashboard-browser.js';

/** The one management that the tests of all pages share, and the browser that is logged in to it. */
export interface Scene {
  api: Api;
  browser: DashboardBrowser;
}

export const ROOT = { username: 'root', password: 'a password for the dashboard' };
/** The inbound of the group and the host that are there. */
export const TAG = 'Shadowsocks TCP';

/** A management with a group, a host, a template and users `user1001` and so on, and a browser that is not logged in yet. */
export class OwnScene implements Scene {
  private constructor(
    readonly api: Api,
    readonly browser: DashboardBrowser,
    readonly clock: MovedClock,
    private readonly management: ProgramProcess,
    private readonly folder: string,
  ) {}

  /** @param users an even number of them */
  static async start(users: number): Promise<OwnScene> {
    const folder = mkdtempSync(join(tmpdir(), 'rampart-dashboard-'));
    const clock = movedClock(folder);
    const port = String(await freePort());
    const management = new ProgramProcess('management', {
      RAMPART_DATA_DIR: folder,
      RAMPART_PORT: port,
      RAMPART_ADMIN_USERNAME: ROOT.username,
      RAMPART_ADMIN_PASSWORD: ROOT.password,
      ...clock.env,
    });
    await management.printed('Ready on');
    const url = `http://127.0.0.1:${port}`;
    const api = await new Api(url).login(ROOT.username, ROOT.password);
    await api.create('/api/group', { name: 'everyone', inbound_tags: [TAG] });
    await api.create('/api/host', {
      remark: 'first {USERNAME}',
      address: ['192.0.2.7'],
      inbound_tag: TAG,
      priority: 1,
    });
    const template = { name: 'monthly', data_limit: 2 ** 30, expire_duration: 2_592_000, group_ids: [1] };
    const { id } = await api.create<{ id: number }>('/api/user_template', template);
    const many = { count: users / 2, strategy: 'sequence', username: 'user', start_number: 1001, user_template_id: id };
    await api.create('/api/users/bulk/from_template', many);
    await api.create('/api/users/bulk/from_template', { ...many, start_number: 1001 + users / 2 });
    return new OwnScene(api, await DashboardBrowser.start(url), clock, management, folder);
  }

  async end(): Promise<void> {
    await this.browser.close();
    await this.management.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
