import type { BaseInfoResponse, NodeClient } from '@rampart/node-client';
import { isUnreachableError } from '../connection/call-errors.js';
import type { NodeSyncContext } from './node-sync-context.js';

export interface NodeCertificateRenewalEvents {
  renewed(endsAt: Date): void;
  /** The node serves its users on, until its certificate ends. */
  failed(error: unknown): Promise<void>;
}

/** Renews the certificate of an enrolled node over the open connection, when a third of its time is left. */
export class NodeCertificateRenewal {
  private nextAttempt = 0;

  constructor(
    private readonly nodeId: number,
    private readonly context: Pick<NodeSyncContext, 'nodes' | 'database' | 'certificates'>,
    /** Milliseconds between two attempts. */
    private readonly retryMs: number,
    private readonly signal: AbortSignal,
    private readonly events: NodeCertificateRenewalEvents,
  ) {}

  /** @param info the last answer of the node, which says when its certificate ends */
  async renewIfDue(client: NodeClient, info: BaseInfoResponse | undefined): Promise<void> {
    const endsAt = certificateEndOf(info);
    if (!endsAt || !this.context.certificates.isRenewalDue(endsAt) || performance.now() < this.nextAttempt) return;
    this.nextAttempt = performance.now() + this.retryMs;
    try {
      await this.renew(client);
    } catch (error) {
      if (this.signal.aborted || isUnreachableError(error)) throw error;
      await this.events.failed(error);
    }
  }

  private async renew(client: NodeClient): Promise<void> {
    const { nodes, database, certificates } = this.context;
    const { request } = await client.requestCertificate({ signal: this.signal });
    const node = await nodes.findNodeToConnect(database.manager, this.nodeId);
    const certificate = await certificates.renew(node, request);
    if (!certificate) return;
    await client.installCertificate({ certificate: certificate.raw }, { signal: this.signal });
    this.events.renewed(new Date(certificate.validTo));
  }
}

/** When the certificate of an enrolled node ends, as it reports; undefined for other nodes. */
export const certificateEndOf = (info: BaseInfoResponse | undefined): Date | undefined =>
  info && info.certificateExpiresAt > 0n ? new Date(Number(info.certificateExpiresAt) * 1_000) : undefined;
