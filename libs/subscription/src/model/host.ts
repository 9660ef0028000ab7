import type { Alpn } from '@rampart/core-config';
import type { UserStatus } from '@rampart/domain';
import type {
  HostFragmentSettings,
  HostMuxSettings,
  HostNoiseSettings,
  HostTransportSettings,
} from './host-settings.js';

export const HOST_SECURITIES = ['inbound_default', 'none', 'tls', 'reality'] as const;
export type HostSecurity = (typeof HOST_SECURITIES)[number];

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
export type HostFingerprint = (typeof HOST_FINGERPRINTS)[number];

/** A server entry of the subscriptions: what it sets stands before what its inbound says (contract: "Host"). */
export interface Host {
  readonly id: number;
  /** A format string. */
  readonly remark: string;
  /** Format strings; `*` becomes a random salt. */
  readonly address: readonly string[];
  readonly inboundTag: string;
  /** Null = a port of the inbound. */
  readonly port: number | null;
  /** `*` becomes a random salt. */
  readonly sni: readonly string[];
  /** `*` becomes a random salt. */
  readonly host: readonly string[];
  /** A format string with three variables; null or empty = the inbound's path. */
  readonly path: string | null;
  readonly security: HostSecurity;
  readonly alpn: readonly Alpn[];
  /** `none` = the inbound's. */
  readonly fingerprint: HostFingerprint;
  /** Null = the inbound's. */
  readonly allowInsecure: boolean | null;
  /** Base64, or how to find it; null or empty = none. */
  readonly echConfigList: string | null;
  /** Sent with the transport's request, where it has one. */
  readonly httpHeaders: Readonly<Record<string, string>> | null;
  /** Such a request names a random browser. */
  readonly randomUserAgent: boolean;
  readonly transportSettings: HostTransportSettings | null;
  readonly muxSettings: HostMuxSettings | null;
  readonly fragmentSettings: HostFragmentSettings | null;
  readonly noiseSettings: HostNoiseSettings | null;
  readonly useSniAsHost: boolean;
  readonly isDisabled: boolean;
  /** Empty = shown to users of every status. */
  readonly status: readonly UserStatus[];
  /** Lower comes first. */
  readonly priority: number;
}

/** A host that sets nothing but what it must. */
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
