import { NETWORKS, type OfferedInbound, type Ports } from '@rampart/core-config';
import {
  type Format,
  FormatError,
  isPlainText,
  PATH_VARIABLES,
  parseFormat,
  renderFormat,
  type UserStatus,
} from '@rampart/domain';
import type { Host } from '../model/host.js';
import type { HostFragmentSettings, HostMuxSettings, XrayNoise } from '../model/host-settings.js';
import type { Headers } from '../model/resolved-proxy.js';
import { displayName } from '../model/unique-names.js';
import { splitEarlyData } from '../protocol/early-data.js';
import { TemplateCache, type TemplateSupport, templateSupportOf } from '../templates/template-cache.js';
import { type CompiledSecurity, compileSecurity } from './compile-security.js';
import { type CompiledTransport, compileTransport, isHostName, tcpHosts } from './compile-transport.js';
import { HostProblem } from './host-problem.js';
import { listLengthsOf } from './selection.js';

/** A host merged over its inbound, with its format strings parsed: what stays the same for every user. */
export interface CompiledHost {
  readonly id: number;
  readonly inbound: OfferedInbound;
  readonly transport: CompiledTransport;
  readonly remark: Format;
  /** What is shown of a remark without variables. */
  readonly name: string | undefined;
  readonly address: readonly Format[];
  readonly ports: Ports;
  readonly sni: readonly string[];
  readonly host: readonly string[];
  readonly path: Format;
  readonly security: CompiledSecurity;
  readonly useSniAsHost: boolean;
  readonly headers: Headers;
  readonly randomUserAgent: boolean;
  readonly mux: HostMuxSettings;
  readonly fragment: HostFragmentSettings;
  readonly noises: readonly XrayNoise[];
  /** Undefined = users of every status. */
  readonly status: ReadonlySet<UserStatus> | undefined;
  /** See `Picks`. */
  readonly choices: readonly number[];
  readonly templated: TemplateSupport;
}

/** All hosts that users may see, by priority. Made once per change of hosts or cores, shared by all requests. */
export interface CompiledHosts {
  readonly hosts: readonly CompiledHost[];
  /** The same by their ids: some are the way back of others. */
  readonly byId: ReadonlyMap<number, CompiledHost>;
  /** Hosts that are left out because no client could use them, for the operator's eyes. */
  readonly problems: readonly { readonly hostId: number; readonly message: string }[];
  /** What was written of them before. */
  readonly templates: TemplateCache;
}

/**
 * Merges hosts over their inbounds and parses their format strings. A host that cannot work is left out and reported;
 * it never spoils the others. Disabled hosts are left out silently.
 */
export function compileHosts(hosts: readonly Host[], inbounds: ReadonlyMap<string, OfferedInbound>): CompiledHosts {
  const compiled: CompiledHost[] = [];
  const problems: { hostId: number; message: string }[] = [];
  const visible = hosts.filter((host) => !host.isDisabled).sort((a, b) => a.priority - b.priority || a.id - b.id);
  for (const host of visible) {
    try {
      compiled.push(compileHost(host, inbounds.get(host.inboundTag)));
    } catch (error) {
      if (!(error instanceof HostProblem || error instanceof FormatError)) throw error;
      problems.push({ hostId: host.id, message: error.message });
    }
  }
  const byId = new Map(compiled.map((host) => [host.id, host]));
  return { hosts: compiled, byId, problems, templates: new TemplateCache() };
}

function compileHost(host: Host, inbound: OfferedInbound | undefined): CompiledHost {
  if (inbound === undefined) throw new HostProblem(`inbound ${host.inboundTag} is in no core configuration`);
  const network = NETWORKS.find((name) => name === inbound.network);
  if (network === undefined || inbound.removed !== undefined) {
    throw new HostProblem(`inbound ${inbound.tag}: ${inbound.removed}`);
  }
  const address = host.address.map((text) => text.trim()).filter((text) => text !== '');
  if (address.length === 0) throw new HostProblem('the host has no address');
  const ports = host.port === null ? inbound.port : singlePort(host.port);
  if (ports === undefined) throw new HostProblem(`neither the host nor its inbound ${inbound.tag} has a port`);
  const remark = forInbound(parseFormat(host.remark), inbound);
  const merged = {
    id: host.id,
    inbound,
    transport: compileTransport(host, inbound, network),
    remark,
    name: isPlainText(remark) ? displayName(renderFormat(remark, {})) : undefined,
    address: address.map((text) => forInbound(parseFormat(text), inbound)),
    ports,
    sni: host.sni.length > 0 ? host.sni : inbound.sni,
    host: [host.host, tcpHosts(host), inbound.host].find((list) => list.length > 0) ?? [],
    path: host.path ? forInbound(parseFormat(host.path, PATH_VARIABLES), inbound) : [{ text: pathOf(inbound) }],
    security: compileSecurity(host, inbound),
    useSniAsHost: host.useSniAsHost,
    headers: Object.fromEntries(Object.entries(host.httpHeaders ?? {}).filter(([name]) => !isHostName(name))),
    randomUserAgent: host.randomUserAgent,
    mux: host.muxSettings ?? {},
    fragment: host.fragmentSettings ?? {},
    noises: host.noiseSettings?.xray ?? [],
    status: host.status.length > 0 ? new Set(host.status) : undefined,
  };
  const counted = { ...merged, choices: listLengthsOf(merged) };
  return { ...counted, templated: templateSupportOf(counted) };
}

function singlePort(port: number): Ports {
  return { original: port, ranges: [{ from: port, to: port }] };
}

/** A websocket inbound takes a question mark for a part of its path, and clients for the end of it: they must escape it. */
function pathOf({ network, path }: OfferedInbound): string {
  if (network !== 'ws' || !path.includes('?')) return path;
  const { path: rest, maxEarlyData } = splitEarlyData(path);
  return rest.replaceAll('?', '%3F') + (maxEarlyData > 0 ? `?ed=${maxEarlyData}` : '');
}

/** Writes out the two variables that depend on the inbound alone. */
function forInbound(format: Format, { protocol, network }: OfferedInbound): Format {
  return format.map((part) => {
    if ('text' in part) return part;
    if (part.variable === 'PROTOCOL') return { text: protocol };
    return part.variable === 'TRANSPORT' ? { text: network } : part;
  });
}
