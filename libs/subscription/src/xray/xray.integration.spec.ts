import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { engineConfig, type Inbound, parseCoreConfig } from '@rampart/core-config';
import { shadowsocks2022Key } from '@rampart/domain';
import { compileHosts } from '../compile-hosts.js';
import { resolveProxies } from '../resolve-proxies.js';
import { engineOutput, engineVerdict, startEngine } from '../testing/engine.js';
import { type Cell, grid, type Json } from '../testing/grid.js';
import { host } from '../testing/host.js';
import { fetchThrough, freePorts, type Listening, page, servePages, serveTls } from '../testing/serving.js';
import { CREDENTIALS } from '../testing/user.js';
import { renderXray } from './xray.js';

interface ClientConfig {
  readonly remarks: string;
  readonly outbounds: readonly Json[];
}

/** Names only; the tests are declared before there is a certificate. */
const NAMES = [
  ...grid({ certificate: {}, realityTarget: 443, encryption: {} }).map(({ name }) => name),
  'child<=>parent',
];

let proxyPort: number;
let pages: Listening;
let clients: ReadonlyMap<string, ClientConfig>;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const certificate: { certificate: string[]; key: string[] } = JSON.parse(
    await engineOutput('tls', 'cert', '-json', '-domain=t.example'),
  );
  // The engine writes PKCS #8 under the name of another form.
  const key = certificate.key.join('\n').replaceAll('RSA PRIVATE KEY', 'PRIVATE KEY');
  const target = await serveTls(certificate.certificate.join('\n'), key);
  pages = await servePages();
  stops.push(target.close, pages.close);
  const cells = grid({ certificate, realityTarget: target.port, encryption: await encryptionPair() });
  const ports = await freePorts(cells.length + 2);
  proxyPort = ports.pop() ?? 0;

  const core = parseCoreConfig(coreConfig([...cells, ...fallback(certificate)], ports), { fallbackTags: ['parent'] });
  clients = clientConfigs(core.inbounds);
  stops.push(await startEngine(withUsers(engineConfig(core).config, core.inbounds)));
  stops.push(await startEngine(allClients(clients, proxyPort)));
}, 60_000);

afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
});

describe('a client configuration for the engine', () => {
  it.each(NAMES)('is accepted and carries traffic: %s', async (name) => {
    const client = clients.get(name);
    expect(await engineVerdict(client ?? {})).toBe('accepted');
    const path = `/${encodeURIComponent(name)}/`;
    expect(await fetchThrough(proxyPort, name, pages.port, path)).toBe(page(path));
  });
});

async function encryptionPair(): Promise<Json> {
  const [, decryption, encryption] =
    /"decryption": "([^"]+)"\s+"encryption": "([^"]+)"/.exec(await engineOutput('vlessenc')) ?? [];
  return { decryption, encryption };
}

/** A parent on the last port and its child behind it. */
function fallback(certificate: Json): Cell[] {
  const socket = `@rampart-child-${process.pid}`;
  const settings = { decryption: 'none', fallbacks: [{ path: '/child', dest: socket }] };
  const tls = { security: 'tls', tlsSettings: { certificates: [certificate] } };
  const ws = { network: 'ws', wsSettings: { path: '/child' } };
  return [
    { name: 'parent', inbound: { protocol: 'vless', settings, streamSettings: tls } },
    { name: 'child', inbound: { protocol: 'trojan', listen: socket, settings: {}, streamSettings: ws } },
  ];
}

function coreConfig(cells: readonly Cell[], ports: readonly number[]): Json {
  return {
    inbounds: cells.map(({ name, inbound }, index) => ({ ...inbound, tag: name, port: ports[index] })),
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
  };
}

/** One host per inbound; certificates are our own, so clients have to pin them. */
function clientConfigs(inbounds: readonly Inbound[]): Map<string, ClientConfig> {
  const reachable = inbounds.filter(({ port }) => port !== undefined);
  const hosts = reachable.map(({ tag }, id) =>
    host({ id, inboundTag: tag, remark: tag, address: ['127.0.0.1'], allowInsecure: true }),
  );
  const compiled = compileHosts(hosts, new Map(inbounds.map((inbound) => [inbound.tag, inbound])));
  expect(compiled.problems).toEqual([]);
  const proxies = resolveProxies(compiled, {
    user: { status: 'active', proxySettings: CREDENTIALS },
    inboundTags: new Set(inbounds.map(({ tag }) => tag)),
    values: {},
    random: () => 0,
  });
  const rendered: ClientConfig[] = JSON.parse(renderXray(proxies));
  return new Map(rendered.map((client) => [client.remarks, client]));
}

/** What a node does with the user. */
function withUsers(config: Json, inbounds: readonly Inbound[]): Json {
  const byTag = new Map(inbounds.map((inbound) => [inbound.tag, inbound]));
  const list: unknown = config['inbounds'];
  if (!Array.isArray(list)) throw new Error('no inbounds');
  const filled = list.map((inbound: Json & { tag: string; settings: Json }) => ({
    ...inbound,
    settings: { ...inbound.settings, clients: clientsOf(byTag.get(inbound.tag)) },
  }));
  return { ...config, inbounds: filled };
}

function clientsOf(inbound: Inbound | undefined): Json[] {
  const { vmess, vless, trojan, shadowsocks } = CREDENTIALS;
  switch (inbound?.protocol) {
    case 'vmess':
      return [vmess];
    case 'vless':
      return [{ ...vless, flow: inbound.vision ? vless.flow : '' }];
    case 'trojan':
      return [trojan];
    case 'shadowsocks':
      return [inbound.is2022 ? { password: shadowsocks2022Key(inbound.method, shadowsocks.password) } : shadowsocks];
    default:
      return [];
  }
}

/** All proxies in one engine: the user of the HTTP proxy says which. */
function allClients(configs: ReadonlyMap<string, ClientConfig>, port: number): Json {
  const accounts = [...configs.keys()].map((user) => ({ user, pass: 'password' }));
  return {
    inbounds: [{ tag: 'http', listen: '127.0.0.1', port, protocol: 'http', settings: { accounts } }],
    outbounds: [...configs].map(([tag, { outbounds }]) => ({ ...outbounds[0], tag })),
    routing: { rules: [...configs.keys()].map((tag) => ({ type: 'field', user: [tag], outboundTag: tag })) },
  };
}
