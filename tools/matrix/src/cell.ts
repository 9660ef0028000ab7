/** Any part of a configuration. */
export type Json = Readonly<Record<string, unknown>>;

/** Name of a cell that every sample contains: Outline carries nothing else, and another host has the same name. */
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

/** Who uses a cell: credentials differ by user, not by inbound. */
export type UserName =
  | 'plain'
  | 'vision'
  | 'aes-128-gcm'
  | 'chacha20-ietf-poly1305'
  | 'xchacha20-poly1305'
  | 'numbers'
  /** Whose clients draw something when they start, and with some draws cannot connect. */
  | 'drawing'
  /** Without any cell. */
  | 'nobody';

/** What a client does with a cell. */
export type Verdict =
  | 'passes'
  /** Our document for it does not have the cell. */
  | { readonly leftOut: string }
  /** The document has it, as the operator or the format demands, and the client does not connect. */
  | { readonly written: string };

/** One way to connect: a row of the table. */
export interface Cell {
  readonly name: string;
  readonly user: UserName;
  /** What the host is bound to stands first. A port is given where none is set; tags are made from the name. */
  readonly inbounds: readonly Inbound[];
  /** What the host sets; remark, address and inbound tag by default. */
  readonly host: Json;
  /** How the entry is called in documents. */
  readonly shownAs: string;
  /** The host that the download goes through, on the last inbound. */
  readonly downloadHost: Json | undefined;
  readonly verdicts: Readonly<Record<Column, Verdict>>;
}

export interface Inbound {
  /** A part of the core configuration, without tag. */
  readonly config: Json;
  /** Reached through the other inbounds of the cell, by their fallbacks. */
  readonly isChild?: boolean;
}

/** What cells need that exists only while the matrix runs. */
export interface Material {
  /** For `t.example`, by an authority that clients trust. */
  readonly certificate: Certificate;
  /** The same for all names below it. */
  readonly wildcard: Certificate;
  /** For `t.example`, by nobody whom clients trust. */
  readonly strange: Certificate;
  /** Ports of this machine where servers speak TLS 1.3. */
  readonly target: number;
  /** The same with a certificate of more than 3500 bytes. */
  readonly largeTarget: number;
  /** VLESS encryption: `decryption` and `encryption`. */
  readonly encryption: Json;
  readonly mldsa65: { readonly mldsa65Seed: string; readonly mldsa65Verify: string };
  readonly ech: { readonly serverKeys: string; readonly configList: string };
  /** As many ports as asked for, free and one after the other. */
  ports(count: number): number;
  /** A unix socket of the abstract kind. */
  socket(): string;
}

export interface Certificate {
  readonly certificate: readonly string[];
  readonly key: readonly string[];
}
