import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  Api,
  eventually,
  freePort,
  ProgramProcess,
  REACH_LOOPBACK,
  type SilentServer,
  scratchFolder,
  startSilentServer,
  TestAuthority,
} from '@rampart/testing';
import { type Enrolled, type NodeView, nodeSettings } from './testing/enrolled-node.js';

jest.setTimeout(180_000);

const ROOT = { username: 'root', password: 'a password for probes' };

interface ProbeView {
  node_id: number | null;
  clients: string[];
  problem: string | null;
  error: string;
  advice: string;
  handshake_ms: number | null;
  first_byte_ms: number | null;
  bytes_per_second: number | null;
}
interface ProbesView {
  host_id: number | null;
  status: string;
  message: string;
  results: ProbeView[];
}
interface HealthView extends ProbesView {
  left_out: boolean;
  failed_rounds: number;
  checked_at: string | null;
  history: { passed: number; failed: number; node_id: number | null }[];
}

const root = mkdtempSync(join(scratchFolder(), 'rampart-probes-'));
const programs: ProgramProcess[] = [];
let api: Api;
let silent: SilentServer;
let core: { id: number; config: object };
let exit: NodeView;
let eye: NodeView;
const ports: Record<string, number> = {};

const realityKey = () => generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }).d ?? '';

/** The core of the exit: one good inbound, one whose certificate has expired, and one with REALITY. */
async function coreConfig(privateKey: string, authority: TestAuthority): Promise<object> {
  const tls = async (notAfter?: Date) => {
    const { certificate, key } = await authority.issue(['good.example'], notAfter);
    return { certificates: [{ certificate: certificate.split('\n'), key: key.split('\n') }] };
  };
  const vless = (tag: string, streamSettings: object) => ({
    ...{ tag, protocol: 'vless', listen: '127.0.0.1', port: ports[tag] },
    ...{ settings: { decryption: 'none' }, streamSettings },
  });
  const ws = { network: 'ws', wsSettings: { path: '/w' }, security: 'tls' };
  const target = { target: `127.0.0.1:${ports['good']}`, serverNames: ['good.example'], shortIds: ['ab'] };
  return {
    inbounds: [
      vless('good', { ...ws, tlsSettings: await tls() }),
      vless('expired', { ...ws, tlsSettings: await tls(new Date('2021-01-01T00:00:00Z')) }),
      vless('reality', { network: 'tcp', security: 'reality', realitySettings: { ...target, privateKey } }),
    ],
    outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
  };
}

async function startNode(name: string, address: string, settings: object): Promise<NodeView> {
  const place = { name, address, port: await freePort(), ...settings };
  const { node, enrolment } = await api.create<Enrolled>('/api/nodes/enrol', place);
  const program = new ProgramProcess('node', {
    ...nodeSettings(enrolment, join(root, name)),
    ...{ RAMPART_NODE_HOST: address, RAMPART_PROBE_NETWORKS: '127.0.0.0/8', SSL_CERT_FILE: join(root, 'ca.pem') },
  });
  programs.push(program);
  await eventually(
    `${name} is connected`,
    async (saw) => saw(await api.get<NodeView>(`/api/node/${node.id}`)).status === 'connected',
    30_000,
  );
  return node;
}

/** A second node that probes, with a port of its own. */
async function startOtherEye(): Promise<void> {
  const inbound = { tag: 'other', protocol: 'vless', listen: '127.0.0.1', port: ports['other'] };
  const config = {
    inbounds: [{ ...inbound, settings: { decryption: 'none' } }],
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
  };
  const { id } = await api.create<{ id: number }>('/api/core', { name: 'other', config });
  await startNode('other-eye', '127.0.0.3', { core_config_id: id });
}

const hostOf = (inbound_tag: string, more: object = {}) => ({
  ...{ remark: inbound_tag, inbound_tag, priority: 1, address: ['127.0.0.1'], sni: ['good.example'] },
  ...more,
});
const createHost = (inbound: string, more: object = {}) =>
  api.create<{ id: number }>('/api/host', hostOf(inbound, more)).then(({ id }) => id);
const probe = (id: number, options: object = {}) => api.run<ProbesView>(`/api/hosts/${id}/probe`, options);
const healthOf = async (id: number) =>
  (await api.get<HealthView[]>('/api/hosts/health')).find(({ host_id }) => host_id === id)!;
const probeSettings = (change: object) => api.modify('/api/settings/probes', change);

beforeAll(async () => {
  const authority = await TestAuthority.create();
  // The engine has an account of its own.
  chmodSync(root, 0o755);
  writeFileSync(join(root, 'ca.pem'), authority.pem);
  silent = await startSilentServer();
  for (const name of ['good', 'expired', 'reality', 'closed', 'other']) ports[name] = await freePort();
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
  await probeSettings({ after_change: false });
  const config = await coreConfig(realityKey(), authority);
  core = { ...(await api.create<{ id: number }>('/api/core', { name: 'exit', config, ...REACH_LOOPBACK })), config };
  exit = await startNode('exit', '127.0.0.1', { core_config_id: core.id });
  eye = await startNode('eye', '127.0.0.2', { core_config_id: 1 });
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  silent?.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a probe of a host', () => {
  it('a good host works, as every kind of client, seen from the other node', async () => {
    for (const inbound of ['good', 'reality']) {
      const { status, message, results } = await probe(await createHost(inbound));
      expect({ status, message }).toEqual({ status: 'works', message: '' });
      expect(results.flatMap(({ clients }) => clients).sort()).toEqual(['clash_meta', 'sing_box', 'xray']);
      for (const result of results) {
        expect(result).toMatchObject({ node_id: eye.id, problem: null, error: '', http_status: 200 });
        expect(result.handshake_ms).toBeGreaterThan(0);
        expect(result.first_byte_ms).toBeGreaterThan(0);
        expect(result.bytes_per_second).toBeGreaterThan(0);
      }
    }
  });

  it.each<[string, string, () => object, string, RegExp, RegExp]>([
    [
      'a closed port',
      'good',
      () => ({ port: ports['closed'] }),
      'closed_port',
      /connection refused/,
      /^Nothing listens on port \d+ of 127\.0\.0\.1\. Check that the node runs/,
    ],
    [
      'a wrong SNI',
      'good',
      () => ({ sni: ['other.example'] }),
      'wrong_server_name',
      /certificate is valid for good\.example, not other\.example/,
      /^The certificate of the server is not for the name other\.example\. Set the SNI/,
    ],
    [
      'a blocked address',
      'good',
      () => ({ port: silent.port }),
      'blocked_address',
      /^no answer in time/,
      /^port \d+ of 127\.0\.0\.1 did not answer from here\. Open the port in the firewall/,
    ],
    [
      'an expired certificate',
      'expired',
      () => ({}),
      'expired_certificate',
      /certificate has expired or is not yet valid/,
      /^The certificate of the server has expired, or is not valid yet\. Renew it/,
    ],
  ])('%s is told from a good host, with what to do', async (_, inbound, change, problem, said, advice) => {
    const { host_id, status, message, results } = await api.run<ProbesView>(
      '/api/hosts/probe',
      hostOf(inbound, change()),
    );
    expect({ host_id, status, message }).toEqual({
      ...{ host_id: null, status: 'fails' },
      message: expect.stringContaining(results[0]?.advice ?? 'no result'),
    });
    for (const result of results) {
      expect(result).toMatchObject({ node_id: eye.id, problem });
      expect(result.error).toMatch(said);
      expect(result.advice).toMatch(advice);
    }
  });

  it('a wrong key is told from a good host: the core has another one than the node still runs', async () => {
    const id = await createHost('reality');
    expect(await probe(id)).toMatchObject({ status: 'works' });
    const config = structuredClone(core.config) as { inbounds: { streamSettings: { realitySettings?: object } }[] };
    const settings = config.inbounds[2]!.streamSettings.realitySettings!;
    Reflect.set(settings, 'privateKey', realityKey());
    const put = (body: object, restart = false) =>
      api.modify(`/api/core/${core.id}?restart_nodes=${restart}`, { name: 'exit', config: body, ...REACH_LOOPBACK });
    await put(config);
    const { status, results } = await probe(id);
    expect(status).toBe('fails');
    expect(results[0]).toMatchObject({ problem: 'wrong_key' });
    expect(results[0]?.advice).toMatch(/Restart the core of the node where it has changed/);
    await put(core.config);
    expect(await probe(id)).toMatchObject({ status: 'works' });
  });

  it('the user of probes counts for no user and no admin, while its bytes are those of the node', async () => {
    await eventually(
      'the traffic of the probes was collected',
      async (saw) => saw(await api.get<{ incoming_bandwidth: number }>('/api/system')).incoming_bandwidth > 0,
      30_000,
    );
    expect(await api.get('/api/users')).toMatchObject({ users: [], total: 0 });
    expect(await api.get('/api/system')).toMatchObject({ total_user: 0, online_users: 0 });
    expect(await api.get('/api/users/usage')).toMatchObject({ stats: {} });
    expect(await api.get('/api/admin')).toMatchObject({ used_traffic: 0, lifetime_used_traffic: 0 });
  });
});

describe('the health of hosts', () => {
  it('security row 70: a host that fails is warned about, keeps its history, and is left out where the settings say so and two nodes see it', async () => {
    const good = await createHost('good', { remark: 'stays' });
    const wrong = await createHost('good', { remark: 'wrong', port: ports['closed'] });
    await api.create('/api/group', { name: 'everybody', inbound_tags: ['good'] });
    const { subscription_url } = await api.create<{ subscription_url: string }>('/api/user', {
      username: 'anna',
      group_ids: [1],
    });
    const shown = async () => {
      const text = await (await fetch(`${subscription_url}/links`)).text();
      return [...text.matchAll(/#(\w+)/g)].map(([, name]) => name).filter((name) => /^(stays|wrong)$/.test(name ?? ''));
    };
    expect(await probe(good)).toMatchObject({ status: 'works' });
    expect(await probe(wrong)).toMatchObject({ status: 'fails' });
    expect(await healthOf(wrong)).toMatchObject({
      ...{ status: 'fails', failed_rounds: 1, left_out: false },
      history: [{ node_id: eye.id, passed: 0 }],
    });
    expect(await api.get(`/api/host/${wrong}`)).toMatchObject({
      warnings: [{ path: '', code: 'fails_probes', message: expect.stringContaining('Nothing listens on port') }],
    });
    expect(await api.get<object>(`/api/host/${good}`)).not.toHaveProperty('warnings');
    expect(await shown()).toEqual(['stays', 'wrong']);

    await probeSettings({ after_change: false, every_minutes: 60, hide_failing: true, hide_after: 2 });
    expect(await probe(wrong)).toMatchObject({ status: 'fails' });
    expect(await healthOf(wrong)).toMatchObject({ failed_rounds: 2, left_out: false });
    await startOtherEye();
    expect(await probe(wrong)).toMatchObject({ status: 'fails' });
    expect(await healthOf(wrong)).toMatchObject({ failed_rounds: 3, left_out: true });
    await eventually('the host that fails is left out', async (saw) => saw((await shown()).join()) === 'stays', 20_000);

    await api.modify(`/api/host/${wrong}`, hostOf('good', { remark: 'wrong' }));
    expect(await probe(wrong)).toMatchObject({ status: 'works' });
    expect(await healthOf(wrong)).toMatchObject({ status: 'works', failed_rounds: 0, left_out: false });
    await eventually('it has returned', async (saw) => saw((await shown()).join()) === 'stays,wrong', 20_000);
  });

  it('a changed host is probed by itself', async () => {
    await probeSettings({ after_change: true });
    const id = await createHost('good', { remark: 'new', port: ports['closed'] });
    await eventually('the new host was probed', async (saw) => saw(await healthOf(id)).status === 'fails', 60_000);
    await api.modify(`/api/host/${id}`, hostOf('good', { remark: 'new' }));
    await eventually('the changed host was probed', async (saw) => saw(await healthOf(id)).status === 'works', 60_000);
    expect(exit.id).not.toBe(eye.id);
  });
});
