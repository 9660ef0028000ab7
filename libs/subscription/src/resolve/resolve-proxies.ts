import { type FormatValues, type ProxySettings, renderFormat, type UserStatus } from '@rampart/domain';
import type { CompiledHost, CompiledHosts } from '../compile/compile-hosts.js';
import { type Selection, selectedValues, selectRandomly } from '../compile/selection.js';
import type { ProxyProtocol, ProxySecurity, ResolvedProxy, ResolvedServer } from '../model/resolved-proxy.js';
import { displayName, uniqueNames } from '../model/unique-names.js';
import type { Random } from '../random.js';
import { resolveProtocol } from './resolve-protocol.js';
import { resolveTransport } from './resolve-transport.js';

export interface SubscriptionRequest {
  readonly user: { readonly status: UserStatus; readonly proxySettings: ProxySettings };
  /** The inbound tags of all enabled groups of the user. */
  readonly inboundTags: Pick<ReadonlySet<string>, 'has'>;
  /** What the format variables stand for, see `formatValues`. */
  readonly values: FormatValues;
  readonly random: Random;
  /** Hosts show whatever status they are for. */
  readonly everyStatus?: boolean;
}

/** A host that one request shows, with all that differs from other requests: what is left is the same for all of them. */
export interface SelectedProxy {
  readonly host: CompiledHost;
  /** Unique within one answer. */
  readonly name: string;
  readonly protocol: ProxyProtocol;
  readonly picks: Selection;
  /** What stands for `*`. */
  readonly salt: () => string;
  readonly compiled: CompiledHosts;
  readonly request: SubscriptionRequest;
}

/** The hosts that one user gets with one request (contract: "Subscription generation rules"). */
export function selectProxies(compiled: CompiledHosts, request: SubscriptionRequest): SelectedProxy[] {
  const { user, inboundTags, values, random, everyStatus = false } = request;
  const nameOf = uniqueNames();
  return compiled.hosts
    .filter(({ inbound }) => inboundTags.has(inbound.tag))
    .filter(({ status }) => everyStatus || (status?.has(user.status) ?? true))
    .map((host) => ({
      host,
      name: nameOf(host.name ?? displayName(renderFormat(host.remark, values))),
      protocol: resolveProtocol(host.inbound, user.proxySettings),
      picks: selectRandomly(host, random),
      salt: saltOf(random),
      compiled,
      request,
    }));
}

/** The same as the entries of a document. */
export function resolveProxies(compiled: CompiledHosts, request: SubscriptionRequest): ResolvedProxy[] {
  return selectProxies(compiled, request).map(resolveProxy);
}

export function resolveProxy(drawn: SelectedProxy): ResolvedProxy {
  const { host, name, protocol } = drawn;
  return {
    name,
    ...resolveServer(drawn),
    protocol,
    finalmask: host.inbound.finalmask,
    mux: host.mux,
    fragment: host.fragment,
    noises: host.noises,
  };
}

function resolveServer(drawn: Omit<SelectedProxy, 'name' | 'protocol'>): ResolvedServer {
  const { host, salt, request } = drawn;
  const { values } = request;
  const { address, sni, host: name, port, userAgent, shortId } = selectedValues(host, drawn.picks);
  const serverName = salted(sni, salt);
  const hostHeader = host.useSniAsHost && serverName !== '' ? serverName : salted(name, salt);
  const target = { path: renderFormat(host.path, values), host: hostHeader, userAgent };
  return {
    address: salted(renderFormat(address, values), salt).replace(/^\[(.*)\]$/, '$1'),
    port,
    transport: resolveTransport(host, target, () => resolveDownload(drawn)),
    security: resolveSecurity(host, serverName, shortId),
  };
}

/** Users who may not use the other inbound get no way back over it; a way back has none of its own. */
function resolveDownload({
  host: { transport },
  compiled,
  request,
}: Omit<SelectedProxy, 'name' | 'protocol'>): ResolvedServer | undefined {
  const id = transport.type === 'xhttp' ? transport.downloadHostId : undefined;
  const host = id === undefined ? undefined : compiled.byId.get(id);
  if (host?.transport.type !== 'xhttp' || !request.inboundTags.has(host.inbound.tag)) return undefined;
  const alone = { ...host, transport: { ...host.transport, downloadHostId: undefined } };
  const { random } = request;
  return resolveServer({ host: alone, picks: selectRandomly(host, random), salt: saltOf(random), compiled, request });
}

function resolveSecurity({ security }: CompiledHost, serverName: string, shortId: string): ProxySecurity {
  switch (security.type) {
    case 'none':
      return security;
    case 'tls':
      return { ...security, serverName };
    case 'reality': {
      const { publicKey, spiderX, mldsa65Verify } = security.reality;
      return {
        type: 'reality',
        serverName,
        fingerprint: security.fingerprint,
        publicKey,
        shortId,
        spiderX: spiderX === '' || spiderX.startsWith('/') ? spiderX : `/${spiderX}`,
        mldsa65Verify,
      };
    }
  }
}

const salted = (text: string, salt: () => string): string => (text.includes('*') ? text.replaceAll('*', salt()) : text);

/** 16 hexadecimal digits, the same ones throughout one host. */
function saltOf(random: Random): () => string {
  let salt: string | undefined;
  return () => {
    salt ??= eightDigits(random(2 ** 32)) + eightDigits(random(2 ** 32));
    return salt;
  };
}

/** In halves, because large numbers are written slowly. */
const eightDigits = (value: number): string => fourDigits(value >>> 16) + fourDigits(value & 0xffff);

const fourDigits = (value: number): string => (0x1_0000 + value).toString(16).slice(1);
