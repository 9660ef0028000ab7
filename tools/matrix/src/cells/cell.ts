/** A JSON object, such as a part of a configuration. */
export type Json = Readonly<Record<string, unknown>>;

/** Name of the cell that every sample contains: it is the only one for Outline, and another host has the same remark. */
export const OUTLINE_CELL = 'shadowsocks tcp none';

/** The columns of the table. */
export const COLUMNS = [
  'Xray, links',
  'Xray JSON',
  'sing-box 1.14',
  'sing-box 1.11',
  'mihomo',
  'mihomo, links',
  'the first Clash',
] as const;
export type Column = (typeof COLUMNS)[number];

/** The user of a cell. Credentials belong to users, not to inbounds. */
export type UserName =
  | 'plain'
  | 'vision'
  | 'aes-128-gcm'
  | 'chacha20-ietf-poly1305'
  | 'xchacha20-poly1305'
  | 'numbers'
  /** A user whose clients select a random fingerprint when they start, and cannot connect with some of them. */
  | 'drawing'
  /** A user without any cell. */
  | 'nobody';

/** The result of one client with one cell. */
export type Verdict =
  | 'passes'
  /** The client's document does not contain the cell, for this reason. */
  | { readonly leftOut: string }
  /** The document contains the cell, because the operator or the format demands it, but the client does not connect. */
  | { readonly written: string };

/** One kind of connection: a row of the table. */
export interface Cell {
  readonly name: string;
  readonly user: UserName;
  /** The first inbound is the one of the host. Tags are made from the name; a missing port is filled in. */
  readonly inbounds: readonly Inbound[];
  /** Settings of the host beyond remark, address and inbound tag. */
  readonly host: Json;
  /** Name of the entry in documents. */
  readonly shownAs: string;
  /** Settings of a second host on the last inbound, used for the download. */
  readonly downloadHost: Json | undefined;
  readonly verdicts: Readonly<Record<Column, Verdict>>;
}

export interface Inbound {
  /** The inbound in the core configuration, without its tag. */
  readonly config: Json;
  /** Whether it is reached through the fallbacks of the other inbounds of the cell. */
  readonly isChild?: boolean;
}

/** Certificates, keys, servers and ports that exist only while the matrix runs. */
export interface Material {
  /** Certificate for `t.example` of an authority that clients trust. */
  readonly certificate: Certificate;
  /** Certificate for `*.t.example` of an authority that clients trust. */
  readonly wildcard: Certificate;
  /** Certificate for `t.example` that clients do not trust. */
  readonly untrusted: Certificate;
  /** Port of a local server that speaks TLS 1.3. */
  readonly target: number;
  /** Port of such a server with a certificate of more than 3500 bytes. */
  readonly largeTarget: number;
  /** VLESS encryption: the members `decryption` and `encryption`. */
  readonly encryption: Json;
  readonly mldsa65: { readonly mldsa65Seed: string; readonly mldsa65Verify: string };
  readonly ech: { readonly serverKeys: string; readonly configList: string };
  /** Reserves `count` consecutive free ports and returns the first one. */
  ports(count: number): number;
  /** Returns the name of a new abstract unix socket. */
  socket(): string;
}

export interface Certificate {
  readonly certificate: readonly string[];
  readonly key: readonly string[];
}
