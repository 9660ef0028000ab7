import { NETWORKS, type OfferedInbound, type Ports } from '@rampart/core-config';
import { type Format, FormatError, isPlainText, PATH_VARIABLES, parseFormat, renderFormat } from '@rampart/domain';
import type { CompiledHost, CompiledHosts, HostCompileProblem } from '../model/compiled-host.js';
import type { Host } from '../model/host.js';
import { displayName } from '../model/unique-names.js';
import { splitEarlyData } from '../protocol/early-data.js';
import { compileSecurity } from './compile-security.js';
import { compileTransport, hostHeaderOf, isHostHeader } from './compile-transport.js';
import { HostProblem } from './host-problem.js';
import { listLengthsOf } from './selection.js';
import { templateSupportOf } from './template-support.js';

/**
 * Merges hosts over their inbounds and parses their format strings. A host that cannot work is left out and reported in
 * `problems`; the other hosts are not affected. Disabled hosts are left out without a report.
 *
 * @param inbounds all offered inbounds by their tags.
 */
export function compileHosts(hosts: readonly Host[], inbounds: ReadonlyMap<string, OfferedInbound>): CompiledHosts {
  const compiled: CompiledHost[] = [];
  const problems: HostCompileProblem[] = [];
  const visible = hosts.filter((host) => !host.isDisabled).sort((a, b) => a.priority - b.priority || a.id - b.id);
  for (const host of visible) {
    try {
      compiled.push(compileHost(host, inbounds.get(host.inboundTag)));
    } catch (error) {
      if (!(error instanceof HostProblem || error instanceof FormatError)) throw error;
      problems.push({ hostId: host.id, message: error.message });
    }
  }
  return Object.freeze({
    hosts: Object.freeze(compiled),
    hostsById: Object.freeze(Object.fromEntries(compiled.map((host) => [host.id, host]))),
    problems: Object.freeze(problems),
  });
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
  const remark = renderInboundVariables(parseFormat(host.remark), inbound);
  const merged = {
    id: host.id,
    inbound,
    transport: compileTransport(host, inbound, network),
    remark,
    name: isPlainText(remark) ? displayName(renderFormat(remark, {})) : undefined,
    address: address.map((text) => renderInboundVariables(parseFormat(text), inbound)),
    ports,
    sni: host.sni.length > 0 ? host.sni : inbound.sni,
    host: [host.host, hostHeaderOf(host), inbound.host].find((list) => list.length > 0) ?? [],
    path: host.path
      ? renderInboundVariables(parseFormat(host.path, PATH_VARIABLES), inbound)
      : [{ text: inboundPath(inbound) }],
    security: compileSecurity(host, inbound),
    useSniAsHost: host.useSniAsHost,
    headers: Object.fromEntries(Object.entries(host.httpHeaders ?? {}).filter(([name]) => !isHostHeader(name))),
    randomUserAgent: host.randomUserAgent,
    mux: host.muxSettings ?? {},
    fragment: host.fragmentSettings ?? {},
    noises: host.noiseSettings?.xray ?? [],
    status: host.status.length > 0 ? host.status : undefined,
  };
  const withLengths = { ...merged, listLengths: listLengthsOf(merged) };
  return Object.freeze({ ...withLengths, templateSupport: templateSupportOf(withLengths) });
}

function singlePort(port: number): Ports {
  return { original: port, ranges: [{ from: port, to: port }] };
}

/**
 * The path of an inbound. A websocket inbound takes `?` as part of its path, but clients end the path there: it is escaped.
 */
function inboundPath({ network, path }: OfferedInbound): string {
  if (network !== 'ws' || !path.includes('?')) return path;
  const { path: rest, maxEarlyData } = splitEarlyData(path);
  return rest.replaceAll('?', '%3F') + (maxEarlyData > 0 ? `?ed=${maxEarlyData}` : '');
}

/** Replaces `PROTOCOL` and `TRANSPORT`, the two variables that depend on the inbound alone. */
function renderInboundVariables(format: Format, { protocol, network }: OfferedInbound): Format {
  return format.map((part) => {
    if ('text' in part) return part;
    if (part.variable === 'PROTOCOL') return { text: protocol };
    return part.variable === 'TRANSPORT' ? { text: network } : part;
  });
}
