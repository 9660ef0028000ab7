import { portAt, portCount } from '@rampart/core-config';
import type { Format } from '@rampart/domain';
import { userAgentsOf } from '../protocol/user-agents.js';
import type { Random } from '../random.js';
import type { CompiledHost } from './compile-hosts.js';

type Lists = Pick<CompiledHost, 'address' | 'sni' | 'host' | 'ports' | 'transport' | 'randomUserAgent' | 'security'>;

/** Of each list of a host the place that one request has drawn: address, SNI, host, port, User-Agent, short id. */
export type Selection = readonly number[];

/** What is at those places. */
export interface SelectedValues {
  readonly address: Format;
  readonly sni: string;
  readonly host: string;
  readonly port: number;
  /** Undefined: the request names itself as it would anyway. */
  readonly userAgent: string | undefined;
  readonly shortId: string;
}

/** How many there are to pick from; empty where each list has one entry at most. */
export function listLengthsOf(host: Lists): readonly number[] {
  const { address, sni, ports } = host;
  const lists = [address, sni, host.host, { length: portCount(ports) }, agentsOf(host), shortIdsOf(host)];
  return lists.some(({ length }) => length > 1) ? lists.map(({ length }) => length) : [];
}

/** One of each list, drawn on its own. */
export const selectRandomly = ({ choices }: CompiledHost, random: Random): Selection =>
  choices.map((count) => (count > 1 ? random(count) : 0));

/** A number of its own for all picks of a host that differ; there are as many as `variantsOf`. */
export function selectionIndex({ choices }: CompiledHost, picks: Selection): number {
  let variant = 0;
  for (let list = 0; list < picks.length; list++) variant = variant * (choices[list] || 1) + picks[list]!;
  return variant;
}

export const selectionCount = ({ choices }: Pick<CompiledHost, 'choices'>): number =>
  choices.reduce((product, count) => product * (count || 1), 1);

export function selectedValues(
  host: CompiledHost,
  [address = 0, sni = 0, name = 0, port = 0, agent = 0, id = 0]: Selection,
): SelectedValues {
  return {
    address: host.address[address] ?? [],
    sni: host.sni[sni] ?? '',
    host: host.host[name] ?? '',
    port: portAt(host.ports, port),
    userAgent: agentsOf(host)[agent],
    shortId: shortIdsOf(host)[id] ?? '',
  };
}

const agentsOf = ({ transport, randomUserAgent }: Lists): readonly string[] =>
  randomUserAgent ? userAgentsOf(transport) : [];

const shortIdsOf = ({ security }: Lists): readonly string[] =>
  security.type === 'reality' ? security.reality.shortIds : [];
