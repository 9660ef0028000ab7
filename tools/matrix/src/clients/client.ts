import type { Column } from '../cell.js';

/** An app with a subscription, as far as the matrix needs one. */
export interface Client {
  readonly column: Column;
  /** How it asks: by its name, or at an address of its own format. */
  readonly userAgent: string;
  readonly path: string;
  /** The entries of a document, in their order. */
  namesIn(document: string): readonly string[];
  /** What its own checker says of the whole document: nothing, or its complaint. */
  complaint(document: string): Promise<string>;
  /** @param trusted file with the authorities that it trusts */
  start(document: string, trusted: string): Promise<RunningClient>;
}

/** An HTTP proxy on a port of this machine, whose accounts `u0`, `u1` … stand for the entries in their order. */
export interface RunningClient {
  readonly port: number;
  close(): Promise<void>;
}

export const accountOf = (position: number): string => `u${position}`;
