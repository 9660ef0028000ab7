import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { type BaseInfoResponse, hasIdentity, NodeClientError, type NodeClientErrorCode } from '@rampart/node-client';
import { type Check, checkCertificate, checkClock, messageOf, ok, warning, wrong } from '@rampart/program';
import { DataSource } from 'typeorm';
import { Semaphore } from '../concurrency/semaphore.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { NodeAddresses } from '../nodes/connection/node-addresses.js';
import { NodeConnector } from '../nodes/connection/node-connector.js';
import type { Node } from '../nodes/store/node.entity.js';
import { NodeRepository } from '../nodes/store/node.repository.js';
import { NodeProblem } from '../nodes/store/node-problem.js';
import { isProbeUserServed } from '../user-store/served/probe-user.js';

/** Enough for most fleets, so that nodes that hang take the time of one call altogether. */
const MAX_NODES_AT_ONCE = 100;
const CALL_MS = 8_000;

const LOG = 'See the log of the node.';
/** What the message of a node is about when waiting does not help. */
const CORE_PROBLEMS = ['CORE_REFUSED', 'START_FAILED'];

/** What to do about a node that does not answer, by the code of the error. */
function adviceFor(code: NodeClientErrorCode, { id, port, authorityId }: Node): string {
  const isRefusal = code === 'UNAUTHENTICATED' || code === 'TLS_UNTRUSTED';
  if (isRefusal && authorityId)
    return `The node does not run with its last enrolment: start it with that, or with a new one ("Enrol again" in the dashboard, or "rampart node enrol ${id}"). If it does run with it, something else answers at its address and port.`;
  switch (code) {
    case 'UNREACHABLE':
    case 'TIMEOUT':
      return `Start the node, and let management through to its port ${port}: firewalls of both machines, address and port of the node here.`;
    case 'UNAUTHENTICATED':
      return 'Give management the key that the node has as RAMPART_API_KEY: change api_key of the node here, or the setting there.';
    case 'TLS_UNTRUSTED':
      return 'If the node got a new certificate, change server_ca of the node here. If it did not, somebody else answers at its address.';
    case 'PROTOCOL':
      return 'Another program answers at this port: correct address and port of the node here, and RAMPART_NODE_PORT there.';
    default:
      return LOG;
  }
}

/** Checks every node by calls of its own, whatever the workers have found. */
@Injectable()
export class NodeChecks {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly connector: NodeConnector,
    private readonly addresses: NodeAddresses,
  ) {}

  async run(): Promise<Check[]> {
    const nodes = await this.nodes.listNodes(this.database.manager, {}, {});
    if (nodes.length === 0) return [warning('nodes', 'there is none', 'Add one: rampart node add --help.')];
    const limit = new Semaphore(MAX_NODES_AT_ONCE);
    const hasProbes = await isProbeUserServed(this.database.manager);
    return (await Promise.all(nodes.map((node) => limit.run(() => this.check(node, hasProbes))))).flat();
  }

  private async check(node: Node, hasProbes: boolean): Promise<Check[]> {
    const name = `node ${node.name}`;
    if (node.status === 'disabled') return [ok(name, 'is disabled')];
    return (await Promise.all([this.checkAnswer(name, node, hasProbes), this.checkCertificate(name, node)])).flat();
  }

  private async checkAnswer(name: string, node: Node, hasProbes: boolean): Promise<Check[]> {
    try {
      const before = Date.now();
      const info = await this.askInfo(node);
      const after = Date.now();
      return [
        checkState(name, node, info, hasProbes),
        ...checkEngine(name, info),
        ...checkTime(name, info, before, after),
      ];
    } catch (error) {
      return [unanswered(name, node, error)];
    }
  }

  private async askInfo(node: Node): Promise<BaseInfoResponse> {
    const client = await this.connector.connect(node);
    try {
      return await client.info({ timeoutMs: CALL_MS, maxEntries: 0 });
    } finally {
      await client.close();
    }
  }

  /** Looks at the certificate that the node shows; a node that shows none has a row that says why. */
  private async checkCertificate(name: string, { id, address, port, authorityId, identity }: Node): Promise<Check[]> {
    try {
      const shown = await certificateAt(await this.addresses.resolve(address), port);
      // What somebody else shows says nothing about the node.
      if (identity !== null && !hasIdentity(new X509Certificate(shown), identity)) return [];
      const advice = authorityId
        ? `It is renewed while the node is connected. If it has ended, enrol the node again (in the dashboard, or "rampart node enrol ${id}").`
        : 'Replace the certificate of the node (RAMPART_NODE_TLS_CERT, or delete the self-signed one), then give management the new one.';
      return [checkCertificate(`${name}: certificate`, shown, new Date(), advice)];
    } catch {
      return [];
    }
  }
}

function unanswered(name: string, node: Node, error: unknown): Check {
  if (error instanceof NodeProblem)
    return wrong(
      name,
      error.message,
      'Correct the address or the API key of the node here. The name of a container is known while it runs: start it.',
    );
  if (error instanceof NodeClientError) {
    const advice = adviceFor(error.code, node);
    // Nobody may have started it yet.
    const isAwaited = node.nodeVersion === null && (error.code === 'UNREACHABLE' || error.code === 'TIMEOUT');
    return isAwaited
      ? warning(name, `waits for its first contact: ${error.message}`, advice)
      : wrong(name, error.message, advice);
  }
  return wrong(name, messageOf(error), LOG);
}

/** What the worker of the node has stored, beside an answer that was just given. */
function checkState(
  name: string,
  { status, message, messageCode, corePending }: Node,
  { version, usersCount }: BaseInfoResponse,
  hasProbes: boolean,
): Check {
  const lines = message?.split('\n').join('; ');
  if (messageCode !== null && CORE_PROBLEMS.includes(messageCode))
    return wrong(
      name,
      `does not run its core: ${lines ?? ''}`,
      'Do what this says on the node or in its core, and apply the core (in the dashboard, or POST /api/core/{id}/restart). The core before it may still run.',
    );
  if (status !== 'connected')
    return warning(
      name,
      `answers, but its state is ${status}${lines ? `: ${lines}` : ''}`,
      `Wait a moment, then: rampart node reconnect. ${LOG}`,
    );
  if (messageCode === 'TRAFFIC_IMPLAUSIBLE')
    return wrong(
      name,
      lines ?? '',
      'Find out who runs the node now. If its line is faster than RAMPART_NODE_LINE_RATE, raise that; else disable the node, and take back what it has reported (rampart node revert-usage).',
    );
  if (messageCode === 'ENGINE_FALLBACK')
    return wrong(
      name,
      lines ?? '',
      `Find out why its engine ended: ${LOG} It is tried again by itself; "rampart node reconnect" brings that forward, and another core is tried at once.`,
    );
  if (lines) return warning(name, lines, LOG);
  if (corePending)
    return warning(
      name,
      'still runs its core from before the last change',
      'Apply the core when it suits (in the dashboard, or POST /api/core/{id}/restart).',
    );
  if (version !== '' && version !== MANAGEMENT_VERSION)
    return warning(name, `has version ${version}, management ${MANAGEMENT_VERSION}`, 'Upgrade the older of the two.');
  return ok(name, `is connected and serves ${usersCount} users${hasProbes ? ', with that of the probes' : ''}`);
}

function checkEngine(name: string, { running, coreVersion, restarts, lastExit }: BaseInfoResponse): Check[] {
  const row = `${name}: engine`;
  if (!running) return [wrong(row, 'does not run', `Run "rampart doctor" on the node. ${LOG}`)];
  if (restarts > 0n) return [warning(row, `was restarted ${restarts} times, last because: ${lastExit}`, LOG)];
  return [ok(row, `${coreVersion} runs`)];
}

/** Nodes before this field, and other implementations, do not tell their time. */
function checkTime(name: string, { timeMs }: BaseInfoResponse, before: number, after: number): Check[] {
  if (timeMs === 0n) return [];
  return [checkClock(`${name}: clock`, Number(timeMs) - (before + after) / 2, (after - before) / 2)];
}

/** The certificate that a TLS port shows, in PEM. It is only looked at, so it need not be trusted. */
function certificateAt(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: CALL_MS }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate) resolve(certificate.toString());
      else reject(new Error('no certificate'));
    });
    socket.once('error', reject).once('timeout', () => socket.destroy(new Error('no TLS handshake in time')));
  });
}
