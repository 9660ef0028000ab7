/**
 * How far a probe came: the outbounds are refused (`settings`), a server has no address that may be probed (`address`), the
 * client gets no connection (`handshake`), no answer (`answer`), or an answer that breaks off (`download`).
 */
export const PROBE_STAGES = ['settings', 'address', 'handshake', 'answer', 'download', 'done'] as const;
export type ProbeStage = (typeof PROBE_STAGES)[number];

/** How the error ends where an address may not be probed. */
export const NOT_PUBLIC = 'is no address of the public internet';

/** What a client saw. Figures that were not measured are 0. */
export interface ProbeResult {
  /** Where the probe ended; `done`: the URL was fetched. */
  readonly stage: ProbeStage;
  /** What went wrong, in the client's own words where it has some; empty when the stage is `done`. */
  readonly error: string;
  /** The IP address of the server. */
  readonly address: string;
  /** Milliseconds until the client had its connection to the server: TCP, TLS or REALITY, as far as it makes them first. */
  readonly handshakeMs: number;
  /** Milliseconds from the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Bytes of the body that were read. */
  readonly bytes: number;
  /** Throughput from the first byte of the body to the last one. */
  readonly bytesPerSecond: number;
  /** The status of the answer. */
  readonly httpStatus: number;
}

export interface ProbeRequest {
  /** The outbounds of an Xray client as a JSON list, in the forms that subscriptions have. */
  readonly outbounds: string;
  /** The URL to fetch through them: http or https. */
  readonly url: string;
  /** How many milliseconds the whole probe may take. */
  readonly timeoutMs: number;
  /** Maximum number of bytes of the body to read. */
  readonly maxBytes: number;
}
