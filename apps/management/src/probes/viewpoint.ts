import type { ProbeResult } from '@rampart/probe';

export interface ViewpointRequest {
  readonly outbounds: string;
  readonly url: string;
  readonly timeoutMs: number;
}

/** A machine from which hosts are probed. */
export interface Viewpoint {
  /** Null means the machine of management. */
  readonly nodeId: number | null;
  readonly name: string;
  /** Rejects when the machine could not probe, which says nothing about the host. */
  probe(request: ViewpointRequest): Promise<ProbeResult>;
}
