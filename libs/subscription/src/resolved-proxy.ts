import type { Alpn, JsonObject } from '@rampart/core-config';
import type { VlessFlow } from '@rampart/domain';

/** One server entry for one user with everything decided: what a renderer writes down. */
export interface ResolvedProxy {
  /** Unique within one answer. */
  readonly name: string;
  /** A name or an address; IPv6 without brackets. */
  readonly address: string;
  readonly port: number;
  readonly protocol: ProxyProtocol;
  readonly transport: ProxyTransport;
  readonly security: ProxySecurity;
  /** The engine's masks around the connection; empty = none. */
  readonly finalmask: JsonObject;
}

export type ProxyProtocol =
  | { readonly type: 'vmess'; readonly id: string }
  | { readonly type: 'vless'; readonly id: string; readonly flow: VlessFlow; readonly encryption: string }
  | { readonly type: 'trojan'; readonly password: string }
  /** Of a 2022 method the password is `server key:user key`. */
  | { readonly type: 'shadowsocks'; readonly method: string; readonly password: string };

/** Paths and host headers are empty where none was given. */
export type ProxyTransport =
  | { readonly type: 'tcp' }
  | { readonly type: 'tcp-http'; readonly path: string; readonly host: string }
  | { readonly type: 'ws'; readonly path: string; readonly host: string }
  | { readonly type: 'httpupgrade'; readonly path: string; readonly host: string }
  | {
      readonly type: 'xhttp';
      readonly path: string;
      readonly host: string;
      readonly mode: string;
      /** What the client must do like the server; empty = nothing. */
      readonly extra: JsonObject;
    }
  | { readonly type: 'grpc'; readonly serviceName: string; readonly authority: string; readonly multiMode: boolean }
  | { readonly type: 'kcp' };

export type ProxySecurity =
  | { readonly type: 'none' }
  | {
      readonly type: 'tls';
      /** Empty = the address. */
      readonly serverName: string;
      readonly alpn: readonly Alpn[];
      /** Empty = the client's own. */
      readonly fingerprint: string;
      /** Hex SHA-256 of the certificates to accept instead of verifying; empty = verify. */
      readonly pinnedCertificates: readonly string[];
    }
  | {
      readonly type: 'reality';
      readonly serverName: string;
      readonly fingerprint: string;
      readonly publicKey: string;
      readonly shortId: string;
      /** Empty, or beginning with `/`. */
      readonly spiderX: string;
      readonly mldsa65Verify: string;
    };
