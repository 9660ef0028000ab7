import { portAt, portCount } from '@rampart/core-config';
import type { Format } from '@rampart/domain';
import type { CompiledHost } from '../model/compiled-host.js';
import type { Random, Selection } from '../model/selected-proxy.js';
import { userAgentsOf } from '../protocol/user-agents.js';

/** The fields of a host that hold the lists to select from, or decide which lists there are. */
type HostLists = Pick<
  CompiledHost,
  'address' | 'sni' | 'host' | 'ports' | 'transport' | 'randomUserAgent' | 'security'
>;

/** The values that a selection points at. */
export interface SelectedValues {
  readonly address: Format;
  readonly sni: string;
  readonly host: string;
  readonly port: number;
  /** Undefined: the client sends its own `User-Agent`. */
  readonly userAgent: string | undefined;
  readonly shortId: string;
}

/** The length of each list of a host, in the order of `Selection`; empty when no list has more than one entry. */
export function listLengthsOf(host: HostLists): readonly number[] {
  const { address, sni, ports } = host;
  const lists = [address, sni, host.host, { length: portCount(ports) }, userAgentList(host), shortIdList(host)];
  return lists.some(({ length }) => length > 1) ? lists.map(({ length }) => length) : [];
}

/** Selects one entry of each list of a host, independently and at random. */
export const selectRandomly = ({ listLengths }: CompiledHost, random: Random): Selection =>
  listLengths.map((length) => (length > 1 ? random(length) : 0));

/** A number that differs for each selection of a host, from 0 to `selectionCount` - 1. */
export function selectionIndex({ listLengths }: CompiledHost, selection: Selection): number {
  let index = 0;
  for (let list = 0; list < selection.length; list++) index = index * (listLengths[list] || 1) + selection[list]!;
  return index;
}

/** How many different selections a host has. */
export const selectionCount = ({ listLengths }: Pick<CompiledHost, 'listLengths'>): number =>
  listLengths.reduce((product, length) => product * (length || 1), 1);

/** Looks up the values of a selection. An empty list gives the empty text. */
export function selectedValues(
  host: CompiledHost,
  [address = 0, sni = 0, name = 0, port = 0, userAgent = 0, shortId = 0]: Selection,
): SelectedValues {
  return {
    address: host.address[address] ?? [],
    sni: host.sni[sni] ?? '',
    host: host.host[name] ?? '',
    port: portAt(host.ports, port),
    userAgent: userAgentList(host)[userAgent],
    shortId: shortIdList(host)[shortId] ?? '',
  };
}

const userAgentList = ({ transport, randomUserAgent }: HostLists): readonly string[] =>
  randomUserAgent ? userAgentsOf(transport) : [];

const shortIdList = ({ security }: HostLists): readonly string[] =>
  security.type === 'reality' ? security.reality.shortIds : [];
