import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Api, eventually, freePort, ProgramProcess, scratchFolder } from '@rampart/testing';
import { type Enrolled, type NodeView, startEnrolledNode } from './testing/enrolled-node.js';

jest.setTimeout(180_000);

const ROOT = { username: 'root', password: 'a password for the users of nodes' };

interface UserView {
  readonly id: number;
  readonly username: string;
  readonly proxy_settings: {
    readonly vless: { readonly id: string };
    readonly vmess: { readonly id: string };
    readonly trojan: { readonly password: string };
    readonly shadowsocks: { readonly password: string };
  };
}

const root = mkdtempSync(join(scratchFolder(), 'rampart-node-users-'));
const programs: ProgramProcess[] = [];
let api: Api;
let coreId: number;
let ann: UserView;
let bob: UserView;

async function configOf(tag: string, protocol: string): Promise<object> {
  const inbound = { tag, protocol, listen: '127.0.0.1', port: await freePort() };
  return { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom' }] };
}

async function createCore(tag: string, protocol: string): Promise<number> {
  const body = { name: tag, config: await configOf(tag, protocol) };
  return (await api.create<{ id: number }>('/api/core', body)).id;
}

async function startNode(name: string, core_config_id: number): Promise<void> {
  const place = { name, address: '127.0.0.1', port: await freePort(), core_config_id };
  const { node, enrolment } = await api.create<Enrolled>('/api/nodes/enrol', place);
  programs.push(startEnrolledNode(enrolment, join(root, name)));
  await eventually(
    `${name} is connected`,
    async (saw) => saw(await api.get<NodeView>(`/api/node/${node.id}`)).status === 'connected',
    30_000,
  );
}

async function createUser(username: string, tags: readonly string[]): Promise<UserView> {
  const { id } = await api.create<{ id: number }>('/api/group', { name: `of${username}`, inbound_tags: tags });
  return api.create<UserView>('/api/user', { username, group_ids: [id] });
}

/** Which of these words are in the file in which a node keeps its session. */
function stored(node: string, words: Record<string, string>): string[] {
  const session = readFileSync(join(root, node, 'node/state/session'));
  return Object.keys(words).filter((name) => session.includes(words[name] ?? ''));
}

const wordsOf = ({ id, username, proxy_settings: { vless, vmess, trojan, shadowsocks } }: UserView) => ({
  name: `${id}.${username}`,
  vless: vless.id,
  vmess: vmess.id,
  trojan: trojan.password,
  shadowsocks: shadowsocks.password,
});

beforeAll(async () => {
  // The engine has an account of its own.
  chmodSync(root, 0o755);
  const url = `http://127.0.0.1:${await freePort()}`;
  const management = new ProgramProcess('management', {
    RAMPART_HOST: '127.0.0.1',
    RAMPART_PORT: new URL(url).port,
    RAMPART_DATA_DIR: join(root, 'management'),
    RAMPART_PUBLIC_URL: url,
    RAMPART_ADMIN_USERNAME: ROOT.username,
    RAMPART_ADMIN_PASSWORD: ROOT.password,
  });
  programs.push(management);
  await management.printed(`Ready on ${url}`);
  api = await new Api(url).login(ROOT.username, ROOT.password);
  await createCore('trojan', 'trojan');
  coreId = await createCore('shadowsocks', 'shadowsocks');
  await createUser('first', ['trojan']);
  [ann, bob] = [await createUser('ann', ['shadowsocks', 'trojan']), await createUser('bob', ['trojan'])];
  await startNode('paying', coreId);
  await startNode('free', await createCore('nobody', 'vless'));
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  rmSync(root, { recursive: true, force: true });
});

describe('security row 36: the disk of a node', () => {
  it('has nothing of users who have none of its inbounds, and of others their name and the credentials of its protocols alone', async () => {
    const carol = await createUser('carol', ['shadowsocks', 'trojan']);
    await eventually('paying has carol', (saw) => saw(stored('paying', wordsOf(carol)).join()) === 'name,shadowsocks');
    expect(stored('paying', wordsOf(ann))).toEqual(['name', 'shadowsocks']);
    expect(stored('paying', wordsOf(bob))).toEqual([]);
    for (const user of [ann, bob, carol]) expect(stored('free', wordsOf(user))).toEqual([]);
    expect([stored('free', { tag: 'shadowsocks' }), stored('paying', { tag: 'trojan' })]).toEqual([[], []]);
  });

  it('has only what the node needs for another core after a change', async () => {
    const body = { name: 'paying', config: await configOf('trojan', 'trojan') };
    await api.modify(`/api/core/${coreId}?restart_nodes=true`, body);
    await eventually('paying has bob', (saw) => saw(stored('paying', wordsOf(bob)).join()) === 'name,trojan', 30_000);
    expect(stored('paying', wordsOf(ann))).toEqual(['name', 'trojan']);
  });
});
