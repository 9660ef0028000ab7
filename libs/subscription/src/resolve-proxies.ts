import { portAt, portCount } from '@rampart/core-config';
import { type FormatValues, type ProxySettings, renderFormat, type UserStatus } from '@rampart/domain';
import type { CompiledHost, CompiledHosts } from './compile-hosts.js';
import type { Random } from './random.js';
import { resolveProtocol } from './resolve-protocol.js';
import { resolveTransport } from './resolve-transport.js';
import type { ProxySecurity, ResolvedProxy, ResolvedServer } from './resolved-proxy.js';
import { uniqueNames } from './unique-names.js';

export interface SubscriptionRequest {
  readonly user: { readonly status: UserStatus; readonly proxySettings: ProxySettings };
  /** The inbound tags of all enabled groups of the user. */
  readonly inboundTags: ReadonlySet<string>;
  /** What the format variables stand for, see `formatValues`. */
  readonly values: FormatValues;
  readonly random: Random;
  /** Hosts show whatever status they are for. */
  readonly everyStatus?: boolean;
}

/** The server entries that one user gets with one request (contract: "Subscription generation rules"). */
export function resolveProxies(compiled: CompiledHosts, request: SubscriptionRequest): ResolvedProxy[] {
  const { user, inboundTags, values, everyStatus = false } = request;
  const nameOf = uniqueNames();
  return compiled.hosts
    .filter(({ inbound }) => inboundTags.has(inbound.tag))
    .filter(({ status }) => everyStatus || (status?.has(user.status) ?? true))
    .map((host) => ({
      name: nameOf(displayName(renderFormat(host.remark, values))),
      ...resolveServer(host, compiled, request),
      protocol: resolveProtocol(host.inbound, user.proxySettings),
      finalmask: host.inbound.finalmask,
      mux: host.mux,
      fragment: host.fragment,
      noises: host.noises,
    }));
}

/** Clients want some name, without half a character: two that differ in it alone would become one. */
const displayName = (remark: string): string => remark.replace(/\p{Surrogate}/gu, '\uFFFD').trim() || '-';

function resolveServer(host: CompiledHost, compiled: CompiledHosts, request: SubscriptionRequest): ResolvedServer {
  const { values, random } = request;
  const fill = salted(random);
  const address = pick(host.address, random);
  const sni = fill(pick(host.sni, random) ?? '');
  const hostHeader = host.useSniAsHost && sni !== '' ? sni : fill(pick(host.host, random) ?? '');
  const target = { path: renderFormat(host.path, values), host: hostHeader };
  return {
    address: fill(renderFormat(address ?? [], values)).replace(/^\[(.*)\]$/, '$1'),
    port: portAt(host.ports, below(portCount(host.ports), random)),
    transport: resolveTransport(host, target, random, () => resolveDownload(host, compiled, request)),
    security: resolveSecurity(host, sni, random),
  };
}

/** Users who may not use the other inbound get no way back over it; a way back has none of its own. */
function resolveDownload(
  { transport }: CompiledHost,
  compiled: CompiledHosts,
  request: SubscriptionRequest,
): ResolvedServer | undefined {
  const id = transport.type === 'xhttp' ? transport.downloadHostId : undefined;
  const host = id === undefined ? undefined : compiled.byId.get(id);
  if (host?.transport.type !== 'xhttp' || !request.inboundTags.has(host.inbound.tag)) return undefined;
  const alone = { ...host, transport: { ...host.transport, downloadHostId: undefined } };
  return resolveServer(alone, compiled, request);
}

function resolveSecurity({ security }: CompiledHost, serverName: string, random: Random): ProxySecurity {
  switch (security.type) {
    case 'none':
      return security;
    case 'tls':
      return { ...security, serverName };
    case 'reality': {
      const { publicKey, shortIds, spiderX, mldsa65Verify } = security.reality;
      return {
        type: 'reality',
        serverName,
        fingerprint: security.fingerprint,
        publicKey,
        shortId: pick(shortIds, random) ?? '',
        spiderX: spiderX === '' || spiderX.startsWith('/') ? spiderX : `/${spiderX}`,
        mldsa65Verify,
      };
    }
  }
}

/** Replaces `*` by 16 hexadecimal digits, the same ones throughout one host. */
function salted(random: Random): (text: string) => string {
  let salt: string | undefined;
  return (text) => {
    if (!text.includes('*')) return text;
    salt ??= eightDigits(random) + eightDigits(random);
    return text.replaceAll('*', salt);
  };
}

const eightDigits = (random: Random): string =>
  random(2 ** 32)
    .toString(16)
    .padStart(8, '0');

function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[below(items.length, random)];
}

function below(count: number, random: Random): number {
  return count > 1 ? random(count) : 0;
}
