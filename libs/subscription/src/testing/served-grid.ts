import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineConfig, type Inbound, parseCoreConfig } from '@rampart/core-config';
import { shadowsocks2022Key } from '@rampart/domain';
import { compileHosts } from '../compile-hosts.js';
import { resolveProxies } from '../resolve-proxies.js';
import type { ResolvedProxy } from '../resolved-proxy.js';
import { engineOutput, startEngine } from './engine.js';
import { type Cell, grid, type Json } from './grid.js';
import { host } from './host.js';
import { freePorts, type Listening, servePages, serveTls } from './serving.js';
import { CREDENTIALS } from './user.js';

/** Names only; tests are declared before there is a certificate. */
export const SERVED_NAMES = [
  ...grid({ certificate: {}, realityTarget: 443, encryption: {} }).map(({ name }) => name),
  'child<=>parent',
];

/** An engine that serves everything it can, and what a user's subscription has of it. */
export interface ServedGrid {
  readonly proxies: readonly ResolvedProxy[];
  readonly pages: Listening;
  /** PEM of the authority that clients must trust. */
  readonly certificateFile: string;
  close(): Promise<void>;
}

export async function serveGrid(): Promise<ServedGrid> {
  const certificate: { certificate: string[]; key: string[] } = JSON.parse(
    await engineOutput('tls', 'cert', '-json', '-ca', '-domain=t.example'),
  );
  // The engine writes PKCS #8 under the name of another form.
  const key = certificate.key.join('\n').replaceAll('RSA PRIVATE KEY', 'PRIVATE KEY');
  const folder = await mkdtemp(join(tmpdir(), 'rampart-grid-'));
  const certificateFile = join(folder, 'ca.pem');
  await writeFile(certificateFile, certificate.certificate.join('\n'));
  const target = await serveTls(certificate.certificate.join('\n'), key);
  const pages = await servePages();
  const cells = grid({ certificate, realityTarget: target.port, encryption: await encryptionPair() });
  const ports = await freePorts(cells.length + 1);
  const core = parseCoreConfig(coreConfig([...cells, ...fallback(certificate)], ports), { fallbackTags: ['parent'] });
  const stop = await startEngine(withUsers(engineConfig(core).config, core.inbounds));
  const close = async () => {
    await Promise.all([stop(), target.close(), pages.close(), rm(folder, { recursive: true })]);
  };
  return { proxies: proxiesOf(core.inbounds), pages, certificateFile, close };
}

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

/** One host per inbound. */
function proxiesOf(inbounds: readonly Inbound[]): ResolvedProxy[] {
  const reachable = inbounds.filter(({ port }) => port !== undefined);
  const hosts = reachable.map(({ tag }, id) => host({ id, inboundTag: tag, remark: tag, address: ['127.0.0.1'] }));
  const compiled = compileHosts(hosts, new Map(inbounds.map((inbound) => [inbound.tag, inbound])));
  if (compiled.problems.length > 0) throw new Error(JSON.stringify(compiled.problems));
  return resolveProxies(compiled, {
    user: { status: 'active', proxySettings: CREDENTIALS },
    inboundTags: new Set(inbounds.map(({ tag }) => tag)),
    values: {},
    random: () => 0,
  });
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
