import type { Alpn, JsonObject } from '@rampart/core-config';
import type { VlessFlow } from '@rampart/domain';
import type { HeaderLists, HostFragmentSettings, HostMuxSettings, XrayNoise } from './host-settings.js';

/** One server entry for one user, completely resolved: the input of every format. */
export interface ResolvedProxy extends ResolvedServer {
  /** Unique within one answer. */
  readonly name: string;
  readonly protocol: ProxyProtocol;
  /** The `finalmask` of the engine (masks around the connection), in its own form; empty = none. */
  readonly finalmask: JsonObject;
  /** Multiplexing settings per client engine, as the operator has set them. */
  readonly mux: HostMuxSettings;
  readonly fragment: HostFragmentSettings;
  readonly noises: readonly XrayNoise[];
}

/** Where to connect, with which transport and security. */
export interface ResolvedServer {
  /** A host name or an IP address; IPv6 without brackets. */
  readonly address: string;
  readonly port: number;
  readonly transport: ProxyTransport;
  readonly security: ProxySecurity;
}

/** The protocol of a proxy with the credentials of one user. */
export type ProxyProtocol =
  | { readonly type: 'vmess'; readonly id: string }
  | { readonly type: 'vless'; readonly id: string; readonly flow: VlessFlow; readonly encryption: string }
  | { readonly type: 'trojan'; readonly password: string }
  | ShadowsocksProtocol;

export interface ShadowsocksProtocol {
  readonly type: 'shadowsocks';
  readonly method: string;
  /** With a 2022 method it is `<server key>:<user key>`. */
  readonly password: string;
  /** Whether the server takes packets of UDP, which all other protocols send within their connections. */
  readonly udp: boolean;
}

/** Whether clients can send UDP through a proxy of this protocol. */
export const carriesUdp = (protocol: ProxyProtocol): boolean => protocol.type !== 'shadowsocks' || protocol.udp;

/** Values of HTTP headers by name, without `Host`. */
export type Headers = Readonly<Record<string, string>>;

/** Path, `Host` header and other headers of an HTTP request; empty texts where nothing is set. */
interface HttpTarget {
  readonly path: string;
  readonly host: string;
  readonly headers: Headers;
}

/** Raw TCP that begins with an HTTP header. */
export interface TcpHttpTransport extends HttpTarget {
  readonly type: 'tcp-http';
  readonly method: string;
  readonly version: string;
  /** Lists of values of further headers, beside `Host` and `headers`. */
  readonly headerLists: HeaderLists;
  /** The HTTP response in the form of the engine; undefined = its default. */
  readonly response: JsonObject | undefined;
}

export interface WsTransport extends HttpTarget {
  readonly type: 'ws';
  /** Seconds between two heartbeats; 0 = none. */
  readonly heartbeatPeriod: number;
}

export interface HttpUpgradeTransport extends HttpTarget {
  readonly type: 'httpupgrade';
}

export interface XhttpTransport extends HttpTarget {
  readonly type: 'xhttp';
  readonly mode: string;
  /** Further settings that client and server must share, under the names of the engine; empty = none. */
  readonly extra: JsonObject;
  /** The server through which the download goes; undefined = the same server as the upload. */
  readonly download: (ResolvedServer & { readonly transport: XhttpTransport }) | undefined;
}

export interface GrpcTransport {
  readonly type: 'grpc';
  readonly serviceName: string;
  readonly authority: string;
  readonly multiMode: boolean;
  /** The `User-Agent` header; empty = the default of the client. */
  readonly userAgent: string;
  /** Keep-alive settings that are set, under the names of the engine. */
  readonly keepAlive: JsonObject;
}

export interface KcpTransport {
  readonly type: 'kcp';
  /** Settings that are set, under the names of the engine. */
  readonly settings: JsonObject;
}

/** The transport of a proxy; `tcp` is what newer engines call `raw`. */
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
  /** The server name to send and to verify; empty = the address. */
  readonly serverName: string;
  readonly alpn: readonly Alpn[];
  /** The TLS fingerprint; empty = the default of the client. */
  readonly fingerprint: string;
  /** Whether any certificate is accepted. When the certificate of the server is known, it is pinned instead. */
  readonly allowInsecure: boolean;
  /** SHA-256 in hex of the certificates that are accepted without verification; empty = verify. */
  readonly pinnedCertificates: readonly string[];
  /** SHA-256 in Base64 of the public keys of these certificates. */
  readonly pinnedPublicKeys: readonly string[];
  /** Names that the certificate is verified against; empty = the server name. */
  readonly verifiedNames: readonly string[];
  /** The ECH config list in Base64, or the DNS server to look it up at; empty = none. */
  readonly echConfigList: string;
}

export interface RealitySecurity {
  readonly type: 'reality';
  readonly serverName: string;
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly shortId: string;
  /** Empty, or a path that begins with `/`. */
  readonly spiderX: string;
  readonly mldsa65Verify: string;
}

export type ProxySecurity = { readonly type: 'none' } | TlsSecurity | RealitySecurity;
