import type { OfferedInbound, Ports, RealityOptions } from '@rampart/core-config';
import type { Format, UserStatus } from '@rampart/domain';
import type { HostFragmentSettings, HostMuxSettings, XrayNoise } from './host-settings.js';
import type {
  GrpcTransport,
  Headers,
  KcpTransport,
  TcpHttpTransport,
  TlsSecurity,
  WsTransport,
  XhttpTransport,
} from './resolved-proxy.js';

/** A host merged over its inbound, with its format strings parsed: everything that is the same for all users. */
export interface CompiledHost {
  readonly id: number;
  readonly inbound: OfferedInbound;
  readonly transport: CompiledTransport;
  readonly remark: Format;
  /** The display name of a remark without variables; undefined when the remark has variables. */
  readonly name: string | undefined;
  /** Addresses to select from; never empty. */
  readonly address: readonly Format[];
  /** Ports to select from; never empty. */
  readonly ports: Ports;
  /** Server names to select from; may be empty. */
  readonly sni: readonly string[];
  /** Values of the `Host` header to select from; may be empty. */
  readonly host: readonly string[];
  readonly path: Format;
  readonly security: CompiledSecurity;
  /** Whether the selected server name is also sent as the `Host` header. */
  readonly useSniAsHost: boolean;
  readonly headers: Headers;
  /** Whether requests carry a randomly selected `User-Agent`. */
  readonly randomUserAgent: boolean;
  readonly mux: HostMuxSettings;
  readonly fragment: HostFragmentSettings;
  readonly noises: readonly XrayNoise[];
  /** Statuses of the users who see the host; undefined = users of every status. */
  readonly status: readonly UserStatus[] | undefined;
  /** Length of each list that a `Selection` indexes; empty when no list has more than one entry. */
  readonly listLengths: readonly number[];
  readonly templateSupport: TemplateSupport;
}

/**
 * All hosts that users may see. Plain frozen data, compiled once per change of hosts or cores and shared by all requests.
 */
export interface CompiledHosts {
  /** The hosts are in the order of the subscription: by priority, then by id. */
  readonly hosts: readonly CompiledHost[];
  /** The same hosts by id, for hosts that send their download through another host. */
  readonly hostsById: Readonly<Record<number, CompiledHost>>;
  /** Hosts that are left out because no client could use them, with the reason for the operator. */
  readonly problems: readonly HostCompileProblem[];
}

/** Why one host is left out of every subscription. */
export interface HostCompileProblem {
  readonly hostId: number;
  readonly message: string;
}

/** The transport of a host without path, host and headers, which are filled in for each request. */
export type CompiledTransport =
  | { readonly type: 'tcp' }
  | { readonly type: 'httpupgrade' }
  | Pick<TcpHttpTransport, 'type' | 'method' | 'version' | 'headerLists' | 'response'>
  | Pick<WsTransport, 'type' | 'heartbeatPeriod'>
  | (Pick<XhttpTransport, 'type' | 'mode' | 'extra'> & { readonly downloadHostId: number | undefined })
  | Pick<GrpcTransport, 'type' | 'multiMode' | 'keepAlive'>
  | KcpTransport;

/** The security of a host without server name and short id, which are selected for each request. */
export type CompiledSecurity =
  | { readonly type: 'none' }
  | Omit<TlsSecurity, 'serverName'>
  | { readonly type: 'reality'; readonly fingerprint: string; readonly reality: RealityOptions };

/**
 * For which users the entries of a host can be written from a template: for all of them, for those whose username every
 * format writes unchanged (`plain usernames`), or for none.
 */
export type TemplateSupport = 'all users' | 'plain usernames' | 'none';
