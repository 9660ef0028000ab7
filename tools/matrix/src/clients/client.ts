import type { Column } from '../cells/cell.js';

/** A client app that reads a subscription. */
export interface Client {
  readonly column: Column;
  /** User-Agent of the request for the subscription. */
  readonly userAgent: string;
  readonly path: string;
  /** Names of the entries of a document, in order. */
  namesIn(document: string): readonly string[];
  /** Checks the document with the client's own validation; an empty text means that it is accepted. */
  complaint(document: string): Promise<string>;
  /** @param trusted path of a PEM file with the authorities that the client trusts */
  start(document: string, trusted: string): Promise<RunningClient>;
}

/** An HTTP proxy on the loopback address. Its accounts `u0`, `u1` … select the entries by their position. */
export interface RunningClient {
  readonly port: number;
  close(): Promise<void>;
}

export const accountOf = (position: number): string => `u${position}`;
