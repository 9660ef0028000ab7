import { Logger } from '@nestjs/common';
import { CoreConfigError, keyShareDemand } from '@rampart/core-config';
import { type BaseInfoResponse, NodeClientError } from '@rampart/node-client';
import { withRequestId } from '@rampart/program';
import { NodeProblem } from '../store/node-problem.js';
import type { ImplausibleTraffic } from '../traffic/traffic-recorder.js';
import { type FullSetPause, FullSetPaused } from './full-set-pause.js';
import { certificateEndOf } from './node-certificate-renewal.js';
import type { NodeReport } from './node-sync.repository.js';
import type { NodeSyncContext } from './node-sync-context.js';
import type { StartRequest } from './start-request-builder.js';

/** Maximum number of refused users that a message names. */
const MAX_NAMED_USERS = 20;
/** Maximum characters of a stored message. */
const MAX_MESSAGE_LENGTH = 4_096;

/** Time for which the message of a node says what traffic of it was not counted. */
const IMPLAUSIBLE_MS = 24 * 3_600_000;

/** The kind of the problem of a node that has needed too many full sets of users. */
const PAUSED = 'TOO_MANY_FULL_SETS';
/** The kind of the problem of a node whose engine kept failing with what it was sent. */
const FALLBACK = 'ENGINE_FALLBACK';
/** What the message of such a node says where the node itself does not. */
const FALLBACK_LINE = 'the engine kept failing with what it was sent, so the last state that worked is used';

type NodeFailure = Pick<NodeReport, 'messageCode'> & { readonly message: string };

type StartNotes = Omit<StartRequest, 'backend' | 'view' | 'ids'>;

/** Writes what admins see of a node's state, whenever it changes. */
export class NodeStatusReporter {
  private readonly logger = new Logger('Nodes');
  private lastReport = '';
  private startNotes: StartNotes = { leftOut: [], realityTags: [] };
  /** Why the traffic could not be read the last time. */
  private trafficProblem?: string;
  /** Why the certificate could not be renewed the last time. */
  private renewalProblem?: string;
  private info?: BaseInfoResponse;
  private implausible: ImplausibleTraffic | undefined;
  /** Why the node was not served the last time; undefined: it is. */
  private failure?: NodeFailure;

  constructor(
    private readonly context: Pick<NodeSyncContext, 'nodes' | 'database'>,
    private readonly nodeId: number,
    /** The id of the calls that are made for the node now. */
    private readonly requestId: () => string,
    private readonly fullSets: Pick<FullSetPause, 'text'>,
  ) {}

  /** The versions that the node reported last stay visible. */
  async connecting(): Promise<void> {
    const { nodes, database } = this.context;
    this.implausible = await nodes.findImplausible(database.manager, this.nodeId);
    await this.write({ status: 'connecting', message: null, messageCode: null });
  }

  async started(info: BaseInfoResponse, notes: StartNotes): Promise<void> {
    this.startNotes = notes;
    await this.connected(info);
  }

  async connected(info: BaseInfoResponse): Promise<void> {
    this.info = info;
    delete this.failure;
    const { coreVersion, version, refused, warnings, fallback } = info;
    const certificateExpiresAt = certificateEndOf(info);
    const named = refused.slice(0, MAX_NAMED_USERS).map(({ email, reason }) => `${email} (${reason})`);
    if (refused.length > MAX_NAMED_USERS) named.push(`and ${refused.length - MAX_NAMED_USERS} more`);
    const { leftOut, realityTags } = this.startNotes;
    const lines = leftOut.map(({ tag, reason }) => `inbound ${tag} is left out: ${reason}`);
    const demand = keyShareDemand(coreVersion, realityTags);
    if (demand !== undefined) lines.push(demand);
    const implausible = this.recentlyImplausible();
    if (implausible !== undefined) lines.push(implausible);
    const { text: paused } = this.fullSets;
    if (paused !== undefined) lines.push(paused);
    const code = fallback ? FALLBACK : paused === undefined ? null : PAUSED;
    if (this.renewalProblem !== undefined) lines.push(`its certificate could not be renewed: ${this.renewalProblem}`);
    if (this.trafficProblem !== undefined) lines.push(`its traffic could not be read: ${this.trafficProblem}`);
    if (refused.length > 0) lines.push(`${refused.length} users refused: ${named.join(', ')}`);
    if (fallback && warnings.length === 0) lines.push(FALLBACK_LINE);
    // A long list of refused users must not cut off that the engine runs something else.
    if (fallback) lines.unshift(...warnings);
    else lines.push(...warnings);
    await this.write({
      status: 'connected',
      message: lines.join('\n') || null,
      messageCode: implausible === undefined ? code : 'TRAFFIC_IMPLAUSIBLE',
      coreVersion: coreVersion || null,
      nodeVersion: version || null,
      ...(certificateExpiresAt && { certificateExpiresAt }),
    });
  }

  /** The node serves its users, but does not report their traffic. */
  async trafficReadFailed(error: unknown): Promise<void> {
    this.trafficProblem = this.explain(error);
    if (this.info) await this.connected(this.info);
  }

  /** @param implausible what the node has reported that was not counted, if there was any */
  async trafficRead(implausible: ImplausibleTraffic | undefined): Promise<void> {
    const isNew = implausible !== undefined && implausible !== this.implausible;
    if (this.trafficProblem === undefined && !isNew) return;
    this.trafficProblem = undefined;
    this.implausible = implausible ?? this.implausible;
    if (this.info) await this.connected(this.info);
  }

  private recentlyImplausible(): string | undefined {
    const { message, foundAt } = this.implausible ?? {};
    return foundAt && Date.now() - foundAt.getTime() < IMPLAUSIBLE_MS ? message : undefined;
  }

  certificateRenewed(endsAt: Date): void {
    this.renewalProblem = undefined;
    this.logger.log(`node ${this.nodeId}: its certificate was renewed, until ${endsAt.toISOString()}`);
  }

  async renewalFailed(error: unknown): Promise<void> {
    this.renewalProblem = this.explain(error);
    if (this.info) await this.connected(this.info);
  }

  /** The node held other users than it should. */
  async driftFound(): Promise<void> {
    await this.context.nodes.countDrift(this.context.database.manager, this.nodeId);
    this.say('warn', `node ${this.nodeId} held other users than it should: it is sent the full set`);
  }

  certificatesRenewed(): void {
    this.say('log', `node ${this.nodeId}: the certificate files of its core were renewed, it is sent the new ones`);
  }

  /** The node went out of service before its last traffic could be collected. */
  finalTrafficLost(error: unknown): void {
    this.say(
      'warn',
      `node ${this.nodeId} went out of service, and its last traffic was not collected: ${this.explain(error)}`,
    );
  }

  /** The engine restarts, and what it counted since the last reading is lost. */
  restartTrafficLost(error: unknown): void {
    this.say(
      'warn',
      `node ${this.nodeId} restarts its engine, and its last traffic was not read: ${this.explain(error)}`,
    );
  }

  async failed(error: unknown): Promise<void> {
    // A pause has a reason, which is worth more than that it pauses.
    const { failure } = this;
    const message = this.explain(error);
    if (!(error instanceof FullSetPaused)) this.failure = { message, messageCode: codeOf(error) };
    else if (failure) return this.write({ ...failure, status: 'error', message: `${failure.message}\n${message}` });
    await this.write({ status: 'error', message, messageCode: codeOf(error) });
  }

  /** Only messages that are meant for admins are shown; anything else goes to the log. */
  private explain(error: unknown): string {
    const isForAdmins =
      error instanceof NodeClientError || error instanceof CoreConfigError || error instanceof NodeProblem;
    if (isForAdmins) return error.message;
    this.say('error', (error instanceof Error && error.stack) || String(error));
    return 'management failed to work on this node: its log says why';
  }

  private async write(report: NodeReport): Promise<void> {
    const values = { ...report, message: report.message?.slice(0, MAX_MESSAGE_LENGTH) ?? null };
    const text = JSON.stringify(values);
    if (text === this.lastReport) return;
    await this.context.nodes.writeReport(this.context.database.manager, this.nodeId, values);
    this.lastReport = text;
    const line = `node ${this.nodeId}: ${values.status}${values.message ? `, ${values.message}` : ''}`;
    if (values.status === 'error' || values.messageCode) this.say('warn', line);
    else this.say('log', line);
  }

  private say(level: 'log' | 'warn' | 'error', line: string): void {
    withRequestId(this.requestId(), () => this.logger[level](line));
  }
}

/** The kind of a failure: the code of the call, in which a refused configuration has the same one wherever it was refused. */
function codeOf(error: unknown): string | null {
  if (error instanceof FullSetPaused) return PAUSED;
  if (error instanceof CoreConfigError) return 'CORE_REFUSED';
  if (!(error instanceof NodeClientError)) return null;
  return error.code === 'CONFIG_REFUSED' ? 'CORE_REFUSED' : error.code;
}
