import type { Alpn, JsonObject } from '@rampart/core-config';
import type { VlessFlow } from '@rampart/domain';
import type { HeaderLists, HostFragmentSettings, HostMuxSettings, XrayNoise } from './host-settings.js';

/** One server entry for one user with everything decided: what a renderer writes down. */
export interface ResolvedProxy extends ResolvedServer {
  /** Unique within one answer. */
  readonly name: string;
  readonly protocol: ProxyProtocol;
  /** The engine's masks around the connection; empty = none. */
  readonly finalmask: JsonObject;
  /** Per client engine, as the operator set it. */
  readonly mux: HostMuxSettings;
  readonly fragment: HostFragmentSettings;
  readonly noises: readonly XrayNoise[];
}

/** Where to connect, and what to speak below the protocol. */
export interface ResolvedServer {
  /** A name or an address; IPv6 without brackets. */
  readonly address: string;
  readonly port: number;
  readonly transport: ProxyTransport;
  readonly security: ProxySecurity;
}

export type ProxyProtocol =
  | { readonly type: 'vmess'; readonly id: string }
  | { readonly type: 'vless'; readonly id: string; readonly flow: VlessFlow; readonly encryption: string }
  | { readonly type: 'trojan'; readonly password: string }
  /** Of a 2022 method the password is `server key:user key`. */
  | { readonly type: 'shadowsocks'; readonly method: string; readonly password: string };

/** Header names to values, without `Host`. */
export type Headers = Readonly<Record<string, string>>;

/** Where a transport is asked for; empty where nothing was given. */
interface Target {
  readonly path: string;
  readonly host: string;
  readonly headers: Headers;
}

export interface TcpHttpTransport extends Target {
  readonly type: 'tcp-http';
  readonly method: string;
  readonly version: string;
  /** Besides `Host` and those of `headers`. */
  readonly headerLists: HeaderLists;
  /** As the engine has it; undefined = its own. */
  readonly response: JsonObject | undefined;
}

export interface WsTransport extends Target {
  readonly type: 'ws';
  /** Seconds; 0 = none. */
  readonly heartbeatPeriod: number;
}

export interface HttpUpgradeTransport extends Target {
  readonly type: 'httpupgrade';
}

export interface XhttpTransport extends Target {
  readonly type: 'xhttp';
  readonly mode: string;
  /** What the client must do like the server, in the engine's names; empty = nothing. */
  readonly extra: JsonObject;
  /** The server through which the download goes; undefined = this one. */
  readonly download: (ResolvedServer & { readonly transport: XhttpTransport }) | undefined;
}

export interface GrpcTransport {
  readonly type: 'grpc';
  readonly serviceName: string;
  readonly authority: string;
  readonly multiMode: boolean;
  /** Empty = the client's own. */
  readonly userAgent: string;
  /** In the engine's names, those that are set. */
  readonly keepAlive: JsonObject;
}

export interface KcpTransport {
  readonly type: 'kcp';
  /** In the engine's names, those that are set. */
  readonly settings: JsonObject;
}

export type ProxyTransport =
  | { readonly type: 'tcp' }
  | TcpHttpTransport
  | WsTransport
  | HttpUpgradeTransport
  | XhttpTransport
  | GrpcTransport
  | KcpTransport;

export interface TlsSecurity {
  readonly type: 'tls';
  /** Empty = the address. */
  readonly serverName: string;
  readonly alpn: readonly Alpn[];
  /** Empty = the client's own. */
  readonly fingerprint: string;
  /** Whether the certificate may be another one than a known authority's: where it is known, it is pinned. */
  readonly allowInsecure: boolean;
  /** Hex SHA-256 of the certificates to accept instead of verifying; empty = verify. */
  readonly pinnedCertificates: readonly string[];
  /** Base64 SHA-256 of their public keys. */
  readonly pinnedPublicKeys: readonly string[];
  /** What the certificate must be for, instead of the server name; empty = that one. */
  readonly verifiedNames: readonly string[];
  /** Base64, or how to find it; empty = none. */
  readonly echConfigList: string;
}

export interface RealitySecurity {
  readonly type: 'reality';
  readonly serverName: string;
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly shortId: string;
  /** Empty, or beginning with `/`. */
  readonly spiderX: string;
  readonly mldsa65Verify: string;
}

export type ProxySecurity = { readonly type: 'none' } | TlsSecurity | RealitySecurity;
