import { formatValues, type ServerAddresses } from '@rampart/domain';
import { xrayOutbounds } from '../formats/xray/xray-outbound.js';
import type { CompiledHost, CompiledHosts } from '../model/compiled-host.js';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import type { Random, Selection } from '../model/selected-proxy.js';
import type { Subscriber } from '../render-subscription.js';
import { resolveProtocol } from '../resolve/resolve-protocol.js';
import { resolveProxy } from '../resolve/resolve-proxy.js';
import { randomSalt } from '../resolve/select-proxies.js';
import { asClient, type ProbeClient } from './as-client.js';

/** One way in which clients reach a host. */
export interface HostProbe {
  /** The kinds of clients that send exactly this. */
  readonly clients: readonly ProbeClient[];
  readonly address: string;
  readonly port: number;
  /** The server name that is sent; empty: none is set. */
  readonly serverName: string;
  readonly security: 'none' | 'tls' | 'reality';
  /** The outbounds of an Xray client as a JSON list. They contain the credentials of the subscriber. */
  readonly outbounds: string;
}

export interface HostProbes {
  readonly probes: readonly HostProbe[];
  /** Clients that do not get the host. */
  readonly leftOut: readonly ProbeClient[];
  /** Clients that do what Xray cannot, such as skipping the verification of a certificate. */
  readonly unlike: readonly ProbeClient[];
  /** Number of choices of address, port and server name that are not among the probes. */
  readonly omitted: number;
}

export interface HostProbesRequest {
  /** The user whose credentials are used. */
  readonly subscriber: Subscriber;
  readonly clients: readonly ProbeClient[];
  /** Maximum number of choices of address, port and server name. */
  readonly maxChoices: number;
  readonly server: ServerAddresses;
  readonly random: Random;
  readonly now: Date;
}

/**
 * Everything that clients may try for a host: each choice of address, port and server name, as each kind of client. With
 * more choices than the limit, each value still comes up where the limit allows it.
 */
export function hostProbes(hosts: CompiledHosts, host: CompiledHost, request: HostProbesRequest): HostProbes {
  const { selections, omitted } = selectionsOf(host, request.maxChoices);
  const probes = new Map<string, HostProbe>();
  const [leftOut, unlike] = [new Set<ProbeClient>(), new Set<ProbeClient>()];
  for (const selection of selections) {
    const proxy = resolve(hosts, host, selection, request);
    for (const client of request.clients) {
      const sent = asClient(proxy, client);
      if (sent === 'left out') leftOut.add(client);
      else if (sent === 'unlike') unlike.add(client);
      else {
        const outbounds = JSON.stringify(xrayOutbounds(sent));
        const others = probes.get(outbounds)?.clients ?? [];
        probes.set(outbounds, { ...placeOf(sent), outbounds, clients: [...others, client] });
      }
    }
  }
  return { probes: [...probes.values()], leftOut: [...leftOut], unlike: [...unlike], omitted };
}

function placeOf({ address, port, security }: ResolvedProxy): Omit<HostProbe, 'clients' | 'outbounds'> {
  return { address, port, serverName: security.type === 'none' ? '' : security.serverName, security: security.type };
}

function resolve(
  snapshot: CompiledHosts,
  host: CompiledHost,
  selection: Selection,
  { subscriber, server, random, now }: HostProbesRequest,
): ResolvedProxy {
  const request = {
    ...{ user: subscriber, inboundTags: { has: () => true }, everyStatus: true, random },
    values: formatValues(subscriber, now, server),
  };
  // One salt for all: probes of a host differ only where its settings do.
  const salt = randomSalt(() => 0);
  const protocol = resolveProtocol(host.inbound, subscriber.proxySettings);
  return resolveProxy({ host, name: 'probe', protocol, selection, salt, snapshot, request });
}

/** The places of address, server name and port in a `Selection`; the other lists take turns beside them. */
const CHOSEN = [0, 1, 3];

function selectionsOf({ listLengths }: CompiledHost, limit: number): { selections: Selection[]; omitted: number } {
  if (listLengths.length === 0) return { selections: [[]], omitted: 0 };
  const chosen = CHOSEN.map((list) => listLengths[list] || 1);
  const all = chosen.reduce((product, length) => product * length, 1);
  const count = Math.min(all, limit);
  const selections = Array.from({ length: count }, (_, nth) => {
    const indexes = all > limit ? chosen.map((length) => nth % length) : digits(nth, chosen);
    return listLengths.map((length, list) => {
      const place = CHOSEN.indexOf(list);
      return place < 0 ? nth % (length || 1) : (indexes[place] ?? 0);
    });
  });
  return { selections, omitted: all - count };
}

/** A number in a system whose digits have these ranges. */
function digits(number: number, ranges: readonly number[]): number[] {
  let rest = number;
  return ranges.map((range) => {
    const digit = rest % range;
    rest = Math.floor(rest / range);
    return digit;
  });
}
