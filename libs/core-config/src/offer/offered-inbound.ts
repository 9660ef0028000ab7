import type { VlessFlow } from '@rampart/domain';
import type { Security } from '../read/inbound.js';
import type { JsonObject } from '../read/json-cursor.js';
import type { Network, RemovedNetwork } from '../read/networks.js';
import type { Ports } from '../read/ports.js';

export const ALPN_PROTOCOLS = ['h3', 'h2', 'http/1.1'] as const;
export type Alpn = (typeof ALPN_PROTOCOLS)[number];

export interface RealityOptions {
  /** X25519 public key in base64url without padding, computed from the private key. */
  readonly publicKey: string;
  readonly shortIds: readonly string[];
  readonly spiderX: string;
  readonly mldsa65Verify: string;
}

export interface TransportFields {
  readonly network: Network | RemovedNetwork;
  /** Why the engine no longer runs this transport; undefined for a transport that it runs. */
  readonly removed: string | undefined;
  /** The path of the transport; for grpc the service name. */
  readonly path: string;
  /** Host headers; for grpc the authority. */
  readonly host: readonly string[];
  readonly headerType: '' | 'http';
  /** The mode of xhttp (`auto`, `packet-up`, `stream-up` or `stream-one`) or of grpc (`gun` or `multi`); else it is empty. */
  readonly mode: string;
  /** Settings of xhttp that clients must share with the server (padding, placement of session and data); else empty. */
  readonly extra: JsonObject;
}

export interface SecurityFields {
  readonly security: Security;
  readonly sni: readonly string[];
  readonly alpn: readonly Alpn[];
  /** The TLS fingerprint that clients imitate; empty means the client's own fingerprint. */
  readonly fingerprint: string;
  readonly allowInsecure: boolean;
  /** SHA-256 of the leaf certificates (DER) in hex, by which clients can pin them. */
  readonly certificateSha256: readonly string[];
  /** SHA-256 of the public keys of the leaf certificates, in base64. */
  readonly publicKeySha256: readonly string[];
  /** Names that clients look for in the certificate instead of the server name; empty means the server name. */
  readonly verifiedNames: readonly string[];
  readonly reality: RealityOptions | undefined;
  /** The engine's masks around the connection, which both sides must have; empty means none. */
  readonly finalmask: JsonObject;
}

export type ProtocolFields =
  | { readonly protocol: 'vmess' }
  | {
      readonly protocol: 'vless';
      /** The flow of users who have no flow of their own. */
      readonly flow: VlessFlow;
      readonly encryption: string;
      /** Whether a flow works on this inbound; a fallback parent does not change that. */
      readonly vision: boolean;
    }
  | { readonly protocol: 'trojan' }
  | {
      readonly protocol: 'shadowsocks';
      readonly method: string;
      readonly is2022: boolean;
      /** The server's key of a 2022 method in base64; empty for other methods. */
      readonly password: string;
      /** Whether it takes packets of UDP, and not TCP alone. */
      readonly udp: boolean;
    };

export type Protocol = ProtocolFields['protocol'];

/** An inbound as hosts, groups and subscriptions see it: what clients must know to connect to it. */
export type OfferedInbound = TransportFields &
  SecurityFields &
  ProtocolFields & {
    readonly tag: string;
    /** Whether only the inbound's own machine can connect to it, so that clients need a proxy in front of it. */
    readonly isLocal: boolean;
    /** The ports; undefined for inbounds that need none: fallback children, unix sockets, inbounds with fallbacks. */
    readonly port: Ports | undefined;
    /** The tag of the inbound through whose port and security clients connect, for a tag `child<=>parent`; else undefined. */
    readonly parent: string | undefined;
  };

const FALLBACK_SEPARATOR = '<=>';

/** Returns the tag under which a fallback child is offered through its parent: `child<=>parent`. */
export function fallbackTag(child: string, parent: string): string {
  return `${child}${FALLBACK_SEPARATOR}${parent}`;
}

/** Returns the tag that a node knows: the child of `child<=>parent`, any other tag unchanged. */
export function nodeTag(tag: string): string {
  return tag.split(FALLBACK_SEPARATOR, 1)[0] ?? tag;
}
