import { portAt, portCount } from '@rampart/core-config';
import { type FormatValues, type ProxySettings, renderFormat, type UserStatus } from '@rampart/domain';
import type { CompiledHost, CompiledHosts } from './compile-hosts.js';
import { resolveProtocol } from './resolve-protocol.js';
import type { ProxySecurity, ProxyTransport, ResolvedProxy } from './resolved-proxy.js';
import { uniqueNames } from './unique-names.js';

/** Gives an integer from 0 to `max` - 1. */
export type Random = (max: number) => number;

export interface SubscriptionRequest {
  readonly user: { readonly status: UserStatus; readonly proxySettings: ProxySettings };
  /** The inbound tags of all enabled groups of the user. */
  readonly inboundTags: ReadonlySet<string>;
  /** What the format variables stand for, see `formatValues`. */
  readonly values: FormatValues;
  readonly random: Random;
}

/** The server entries that one user gets with one request (contract: "Subscription generation rules"). */
export function resolveProxies(compiled: CompiledHosts, request: SubscriptionRequest): ResolvedProxy[] {
  const { user, inboundTags } = request;
  const nameOf = uniqueNames();
  return compiled.hosts
    .filter(({ inbound, status }) => inboundTags.has(inbound.tag) && (status?.has(user.status) ?? true))
    .map((host) => resolveHost(host, request, nameOf));
}

function resolveHost(
  host: CompiledHost,
  { user, values, random }: SubscriptionRequest,
  nameOf: (name: string) => string,
): ResolvedProxy {
  const fill = salted(random);
  const address = pick(host.address, random);
  const sni = fill(pick(host.sni, random) ?? '');
  const hostHeader = host.useSniAsHost && sni !== '' ? sni : fill(pick(host.host, random) ?? '');
  return {
    name: nameOf(renderFormat(host.remark, values)),
    address: fill(renderFormat(address ?? [], values)).replace(/^\[(.*)\]$/, '$1'),
    port: portAt(host.ports, below(portCount(host.ports), random)),
    protocol: resolveProtocol(host.inbound, user.proxySettings),
    transport: resolveTransport(host, renderFormat(host.path, values), hostHeader),
    security: resolveSecurity(host, sni, random),
    finalmask: host.inbound.finalmask,
  };
}

function resolveTransport({ inbound, network }: CompiledHost, path: string, host: string): ProxyTransport {
  switch (network) {
    case 'tcp':
      return inbound.headerType === 'http' ? { type: 'tcp-http', path, host } : { type: 'tcp' };
    case 'ws':
    case 'httpupgrade':
      return { type: network, path, host };
    case 'xhttp':
      return { type: 'xhttp', path, host, mode: inbound.mode, extra: inbound.extra };
    case 'grpc':
      return { type: 'grpc', serviceName: path, authority: host, multiMode: inbound.mode === 'multi' };
    case 'kcp':
      return { type: 'kcp' };
  }
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
    salt ??= Array.from({ length: 16 }, () => random(16).toString(16)).join('');
    return text.replaceAll('*', salt);
  };
}

function pick<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[below(items.length, random)];
}

function below(count: number, random: Random): number {
  return count > 1 ? random(count) : 0;
}
