import { Logger } from '@nestjs/common';
import { CoreConfigError, keyShareDemand } from '@rampart/core-config';
import { type BaseInfoResponse, NodeClientError } from '@rampart/node-client';
import { type DataSource, Not } from 'typeorm';
import { Node } from '../store/node.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import type { StartRequest } from './start-request-builder.js';

const NAMED = 20;
const LONGEST_MESSAGE = 4_096;

type Report = Pick<Node, 'status' | 'message'> & Partial<Pick<Node, 'coreVersion' | 'nodeVersion'>>;

type ReportedOrder = Omit<StartRequest, 'backend'>;

/** What admins see of a node's state. It is written only when it changes. */
export class NodeStatusReporter {
  private readonly logger = new Logger('Nodes');
  private last = '';
  private order: ReportedOrder = { leftOut: [], realityTags: [] };
  private unread?: string;
  private info?: BaseInfoResponse;

  constructor(
    private readonly database: DataSource,
    private readonly nodeId: number,
  ) {}

  /** Its last known versions stay visible. */
  async connecting(): Promise<void> {
    await this.write({ status: 'connecting', message: null });
  }

  async started(info: BaseInfoResponse, order: ReportedOrder): Promise<void> {
    this.order = order;
    await this.connected(info);
  }

  async connected(info: BaseInfoResponse): Promise<void> {
    this.info = info;
    const { coreVersion, version, refused, warnings } = info;
    const named = refused.slice(0, NAMED).map(({ email, reason }) => `${email} (${reason})`);
    if (refused.length > NAMED) named.push(`and ${refused.length - NAMED} more`);
    const { leftOut, realityTags } = this.order;
    const lines = leftOut.map(({ tag, reason }) => `inbound ${tag} is left out: ${reason}`);
    const demand = keyShareDemand(coreVersion, realityTags);
    if (demand !== undefined) lines.push(demand);
    if (this.unread !== undefined) lines.push(`its traffic could not be read: ${this.unread}`);
    if (refused.length > 0) lines.push(`${refused.length} users refused: ${named.join(', ')}`);
    lines.push(...warnings);
    await this.write({
      status: 'connected',
      message: lines.join('\n') || null,
      coreVersion: coreVersion || null,
      nodeVersion: version || null,
    });
  }

  /** It serves its users, and does not tell their traffic. */
  async trafficReadFailed(error: unknown): Promise<void> {
    this.unread = this.explain(error);
    if (this.info) await this.connected(this.info);
  }

  async trafficRead(): Promise<void> {
    if (this.unread === undefined) return;
    this.unread = undefined;
    if (this.info) await this.connected(this.info);
  }

  /** It held other users than it should, and has been sent the right ones. */
  userSetReplaced(): void {
    this.logger.warn(`node ${this.nodeId} held other users than it should: it got the full set`);
  }

  /** It runs with certificates whose files have other contents now. */
  certificatesRenewed(): void {
    this.logger.log(`node ${this.nodeId}: the certificate files of its core were renewed, it is sent the new ones`);
  }

  /** Its last traffic could not be collected when it went out of service. */
  finalTrafficLost(error: unknown): void {
    this.logger.warn(
      `node ${this.nodeId} went out of service, and its last traffic was not collected: ${this.explain(error)}`,
    );
  }

  /** Its engine is about to begin anew, and what it counted since the last reading was not read. */
  restartTrafficLost(error: unknown): void {
    this.logger.warn(
      `node ${this.nodeId} begins to count anew, and its last traffic was not read: ${this.explain(error)}`,
    );
  }

  async failed(error: unknown): Promise<void> {
    await this.write({ status: 'error', message: this.explain(error) });
  }

  private explain(error: unknown): string {
    const isForAdmins =
      error instanceof NodeClientError || error instanceof CoreConfigError || error instanceof NodeProblem;
    if (isForAdmins) return error.message;
    this.logger.error(error instanceof Error ? error.stack : String(error));
    return 'management failed to work on this node: its log says why';
  }

  private async write(report: Report): Promise<void> {
    const values = { ...report, message: report.message?.slice(0, LONGEST_MESSAGE) ?? null };
    const written = JSON.stringify(values);
    if (written === this.last) return;
    // Its worker may hear later than anybody that a node is disabled.
    await this.database.manager.update(Node, { id: this.nodeId, status: Not('disabled') }, values);
    this.last = written;
    const line = `node ${this.nodeId}: ${values.status}${values.message ? `, ${values.message}` : ''}`;
    if (values.status === 'error') this.logger.warn(line);
    else this.logger.log(line);
  }
}
