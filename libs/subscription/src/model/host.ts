import type { Alpn } from '@rampart/core-config';
import type { UserStatus } from '@rampart/domain';
import type {
  HostFragmentSettings,
  HostMuxSettings,
  HostNoiseSettings,
  HostTransportSettings,
} from './host-settings.js';

/** The values of `security` of a host. */
export const HOST_SECURITIES = ['inbound_default', 'none', 'tls', 'reality'] as const;
/** The security of a host; `inbound_default` = that of its inbound. */
export type HostSecurity = (typeof HOST_SECURITIES)[number];

/** The values of `fingerprint` of a host. */
export const HOST_FINGERPRINTS = [
  'none',
  'chrome',
  'firefox',
  'safari',
  'ios',
  'android',
  'edge',
  '360',
  'qq',
  'random',
  'randomized',
  'randomizednoalpn',
  'unsafe',
] as const;
/** The TLS fingerprint of a host; `none` = that of its inbound. */
export type HostFingerprint = (typeof HOST_FINGERPRINTS)[number];

/** A server entry of subscriptions (contract: "Host"). Its settings take precedence over those of its inbound. */
export interface Host {
  readonly id: number;
  /** A format string: the name that clients show. */
  readonly remark: string;
  /** Format strings to select one from; each `*` is replaced by a random salt. */
  readonly address: readonly string[];
  readonly inboundTag: string;
  /** Null means one of the ports of the inbound. */
  readonly port: number | null;
  /** Server names to select one from; each `*` is replaced by a random salt. Empty = those of the inbound. */
  readonly sni: readonly string[];
  /**
   * Values of the `Host` header to select one from; each `*` is replaced by a random salt. Empty = those of the inbound.
   */
  readonly host: readonly string[];
  /** A format string with the variables of `PATH_VARIABLES`; null or empty = the path of the inbound. */
  readonly path: string | null;
  readonly security: HostSecurity;
  readonly alpn: readonly Alpn[];
  /** `none` = the fingerprint of the inbound. */
  readonly fingerprint: HostFingerprint;
  /** Null means the setting of the inbound. */
  readonly allowInsecure: boolean | null;
  /** The ECH config list in Base64, or the DNS server to look it up at; null or empty = none. */
  readonly echConfigList: string | null;
  /** Headers of the HTTP request of the transport, where it has one; null = none. */
  readonly httpHeaders: Readonly<Record<string, string>> | null;
  /** Whether that request carries the `User-Agent` of a randomly selected browser. */
  readonly randomUserAgent: boolean;
  readonly transportSettings: HostTransportSettings | null;
  readonly muxSettings: HostMuxSettings | null;
  readonly fragmentSettings: HostFragmentSettings | null;
  readonly noiseSettings: HostNoiseSettings | null;
  /** Whether the selected server name is also sent as the `Host` header. */
  readonly useSniAsHost: boolean;
  readonly isDisabled: boolean;
  /** Statuses of the users who see the host; empty = users of every status. */
  readonly status: readonly UserStatus[];
  /** Hosts with lower numbers come first. */
  readonly priority: number;
}

/** A host with an address and a port from its inbound, and without any other setting. */
export const PLAIN_HOST: Host = {
  id: 1,
  remark: 'name',
  address: ['a.example'],
  inboundTag: 'in',
  port: null,
  sni: [],
  host: [],
  path: null,
  security: 'inbound_default',
  alpn: [],
  fingerprint: 'none',
  allowInsecure: null,
  echConfigList: null,
  httpHeaders: null,
  randomUserAgent: false,
  transportSettings: null,
  muxSettings: null,
  fragmentSettings: null,
  noiseSettings: null,
  useSniAsHost: false,
  isDisabled: false,
  status: [],
  priority: 0,
};
