import type { VlessFlow } from '@rampart/domain';
import type { Security } from '../read/inbound.js';
import type { JsonObject } from '../read/json-cursor.js';
import type { Network, RemovedNetwork } from '../read/networks.js';
import type { Ports } from '../read/ports.js';

export const ALPN_PROTOCOLS = ['h3', 'h2', 'http/1.1'] as const;
export type Alpn = (typeof ALPN_PROTOCOLS)[number];

export interface RealityOptions {
  /** X25519, base64url without padding, computed from the private key. */
  readonly publicKey: string;
  readonly shortIds: readonly string[];
  readonly spiderX: string;
  readonly mldsa65Verify: string;
}

export interface TransportFields {
  readonly network: Network | RemovedNetwork;
  /** Why the engine does not run this transport any more, where it does not. */
  readonly removed: string | undefined;
  /** Of grpc: the service name. */
  readonly path: string;
  /** Of grpc: the authority. */
  readonly host: readonly string[];
  readonly headerType: '' | 'http';
  /** Of xhttp `auto`, `packet-up`, `stream-up`, `stream-one`; of grpc `gun`, `multi`; else empty. */
  readonly mode: string;
  /** Of xhttp: what clients must do like the server (padding, placement of session and data); else empty. */
  readonly extra: JsonObject;
}

export interface SecurityFields {
  readonly security: Security;
  readonly sni: readonly string[];
  readonly alpn: readonly Alpn[];
  /** The TLS fingerprint that clients show; empty = theirs. */
  readonly fingerprint: string;
  readonly allowInsecure: boolean;
  /** Hex SHA-256 of the leaf certificates (DER), by which clients can pin them. */
  readonly certificateSha256: readonly string[];
  /** Base64 SHA-256 of their public keys. */
  readonly publicKeySha256: readonly string[];
  /** Names that clients look for in the certificate, instead of the one that they ask for; empty = that one. */
  readonly verifiedNames: readonly string[];
  readonly reality: RealityOptions | undefined;
  /** The engine's masks around the connection, the same on both sides; empty = none. */
  readonly finalmask: JsonObject;
}

export type ProtocolFields =
  | { readonly protocol: 'vmess' }
  | {
      readonly protocol: 'vless';
      /** For users who have none of their own. */
      readonly flow: VlessFlow;
      readonly encryption: string;
      /** Whether a flow works where the inbound listens; through a fallback parent that does not change. */
      readonly vision: boolean;
    }
  | { readonly protocol: 'trojan' }
  | {
      readonly protocol: 'shadowsocks';
      readonly method: string;
      readonly is2022: boolean;
      /** The server's key of a 2022 method, else empty. */
      readonly password: string;
    };

export type Protocol = ProtocolFields['protocol'];

/** An inbound as hosts and groups see it: what clients must know of it. */
export type OfferedInbound = TransportFields &
  SecurityFields &
  ProtocolFields & {
    readonly tag: string;
    /** Whether this machine alone reaches it: clients see what stands in front of it. */
    readonly isLocal: boolean;
    /** Absent only where it is not needed: fallback children, unix sockets, inbounds with fallbacks of their own. */
    readonly port: Ports | undefined;
    /** The inbound whose port and security this one is reached through, for a tag `child<=>parent`. */
    readonly parent: string | undefined;
  };

const FALLBACK_SEPARATOR = '<=>';

/** The tag under which a fallback child is offered through its parent. */
export function fallbackTag(child: string, parent: string): string {
  return `${child}${FALLBACK_SEPARATOR}${parent}`;
}

/** The tag that a node knows: of `child<=>parent` the child. */
export function nodeTag(tag: string): string {
  return tag.split(FALLBACK_SEPARATOR, 1)[0] ?? tag;
}
