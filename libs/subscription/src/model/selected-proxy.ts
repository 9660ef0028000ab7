import type { FormatValues, ProxySettings, UserStatus } from '@rampart/domain';
import type { CompiledHost, CompiledHosts } from './compiled-host.js';
import type { ProxyProtocol } from './resolved-proxy.js';

/** Returns a random integer from 0 to `max` - 1. */
export type Random = (max: number) => number;

/** The user and the circumstances of one request, as far as they decide which proxies it gets. */
export interface ProxyRequest {
  readonly user: { readonly status: UserStatus; readonly proxySettings: ProxySettings };
  /** Tells whether an inbound tag is in an enabled group of the user. */
  readonly inboundTags: Pick<ReadonlySet<string>, 'has'>;
  /** Values of the format variables, see `formatValues` of `@rampart/domain`. */
  readonly values: FormatValues;
  readonly random: Random;
  /** Whether hosts are shown without regard to the statuses that they are for. Default: false. */
  readonly everyStatus?: boolean;
}

/**
 * One index into each list of a host that one request has selected at random: address, SNI, host, port, User-Agent and
 * short id, in this order. Empty when no list has more than one entry: each index is 0 then.
 */
export type Selection = readonly number[];

/** A host in one answer, with everything that differs between requests. */
export interface SelectedProxy {
  readonly host: CompiledHost;
  /** Unique within one answer. */
  readonly name: string;
  readonly protocol: ProxyProtocol;
  readonly selection: Selection;
  /** The random text that replaces each `*`. */
  readonly salt: () => string;
  readonly snapshot: CompiledHosts;
  readonly request: ProxyRequest;
}
