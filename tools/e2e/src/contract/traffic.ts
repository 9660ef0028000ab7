import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type EngineClient,
  enginePath,
  eventually,
  freePort,
  type LocalWeb,
  ProgramProcess,
  REACH_LOOPBACK,
  startEngineClientWith,
  startLocalWeb,
} from '@rampart/testing';
import { type Core, configOf, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import {
  createGroup,
  createHost,
  createTemplate,
  createUser,
  type Group,
  type Host,
  readUser,
  type User,
} from './fixtures.js';
import { remarksOf } from './links.js';

const TAG = 'traffic inbound';
const API_KEY = 'an-api-key-for-the-contract';
const PAGE = 'x'.repeat(50_000);
const GIB = 2 ** 30;

/** Formats a size between 1 KB and 1 MB as the contract does. */
const kilobytes = (bytes: number): string => `${Number((bytes / 1024).toFixed(2))} KB`;

describe('a user with traffic', () => {
  let core: Core;
  let group: Group;
  let hosts: Host[];
  let web: LocalWeb | undefined;
  let program: ProgramProcess | undefined;
  let node: { id: number };
  let client: EngineClient | undefined;
  let user: User;
  const apply = async (rest: Record<string, unknown>): Promise<User> => {
    const { id } = await createTemplate([group], { data_limit: GIB, ...rest });
    const changed = await environment.sudo.modify<User>(`/api/user/${user.username}/from_template`, {
      user_template_id: id,
    });
    await environment.sudo.remove(`/api/user_template/${id}`);
    return changed;
  };

  const usage = async () => (await environment.sudo.get<{ stats: object }>(`/api/user/${user.username}/usage`)).stats;

  beforeAll(async () => {
    web = await startLocalWeb(PAGE);
    const [nodePort, port] = [await freePort(), await freePort()];
    const folder = join(environment.folder, 'node');
    program = new ProgramProcess('node', {
      RAMPART_API_KEY: API_KEY,
      RAMPART_NODE_HOST: '127.0.0.1',
      RAMPART_NODE_PORT: String(nodePort),
      RAMPART_NODE_DATA_DIR: folder,
      RAMPART_NODE_TRAFFIC_SECONDS: '1',
      XRAY_EXECUTABLE_PATH: enginePath(),
    });
    const served = configOf(vless(TAG, { port, listen: '127.0.0.1' }));
    core = await environment.sudo.create('/api/core', { name: TAG, config: served, ...REACH_LOOPBACK });
    group = await createGroup(TAG);
    const rest = { address: ['127.0.0.1'] };
    hosts = [
      await createHost(TAG, { ...rest, remark: '{DATA_USAGE}|{DATA_LEFT}|{USAGE_PERCENTAGE}|{STATUS_EMOJI}' }),
      await createHost(TAG, { ...rest, remark: 'for the limited', status: ['limited'], priority: 2 }),
      await createHost(TAG, { ...rest, remark: 'for the active', status: ['active'], priority: 3 }),
    ];
    user = await createUser([group], { data_limit: 10_000 });
    const server_ca = await eventually('the node has its certificate', () => certificateOf(folder), 30_000);
    node = await environment.sudo.create('/api/node', {
      name: 'contract',
      address: '127.0.0.1',
      port: nodePort,
      connection_type: 'grpc',
      server_ca,
      keep_alive: 0,
      core_config_id: core.id,
      api_key: API_KEY,
    });
    await eventually(
      'the node is connected',
      async (saw) => saw(await environment.sudo.get<{ status: string }>(`/api/node/${node.id}`)).status === 'connected',
      30_000,
    );
    const [config] = (await (await fetch(`${user.subscription_url}/xray`)).json()) as Record<string, unknown>[];
    client = await startEngineClientWith(config as Record<string, unknown>);
  });
  afterAll(async () => {
    // Open connections would keep this process alive, so they are closed first. Parts that did not start are skipped.
    await client?.close();
    await web?.close();
    await program?.stop();
    await environment.sudo.remove(`/api/user/${user.username}`);
    await environment.sudo.remove(`/api/node/${node.id}`);
    for (const { id } of hosts) await environment.sudo.remove(`/api/host/${id}`);
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  it('a user is limited when the data limit is used up', async () => {
    expect(await remarksOf(user)).toEqual(['0 B|9.77 KB|0|✅', 'for the active']);
    expect(await client?.fetch(web?.url ?? '')).toBe(PAGE);
    await client?.close();
    // Both are read again until they agree: late bytes may be counted between the two requests.
    const { used_traffic, remarks } = await eventually(
      'the user is limited',
      async () => {
        const { status, used_traffic } = await readUser(user.username);
        const remarks = await remarksOf(user);
        const later = await readUser(user.username);
        return status === 'limited' && used_traffic === later.used_traffic && { used_traffic, remarks };
      },
      30_000,
    );
    expect(used_traffic).toBeGreaterThanOrEqual(PAGE.length);
    expect(used_traffic).toBeLessThan(2 * PAGE.length);
    const [texts, ...others] = remarks;
    expect(texts).toBe(`${kilobytes(used_traffic)}|0 B|${Number((used_traffic / 100).toFixed(2))}|🪫`);
    expect(others).toEqual(['for the limited']);
  });

  it('a user keeps the used traffic under a template that gives a new limit', async () => {
    const { used_traffic } = await readUser(user.username);
    expect(await apply({ reset_usages: false })).toMatchObject({ status: 'active', used_traffic, data_limit: GIB });
    expect((await remarksOf(user))[1]).toBe('for the active');
    expect(await usage()).not.toEqual({});
  });

  it('the used traffic starts at 0 under a template with reset_usages', async () => {
    expect(await apply({ reset_usages: true })).toMatchObject({ status: 'active', used_traffic: 0 });
    expect(await remarksOf(user)).toEqual(['0 B|1 GB|0|✅', 'for the active']);
    expect(await usage()).toEqual({});
  });
});

function certificateOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, 'tls/certificate.pem'), 'utf8');
  } catch {
    return undefined; // There is no usage yet.
  }
}
