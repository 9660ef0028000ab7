import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NodeClient } from '@rampart/node-client';
import { PROBE_STAGES, type ProbeResult } from '@rampart/probe';
import { DataSource } from 'typeorm';
import { Semaphore } from '../concurrency/semaphore.js';
import { isTimeoutError, isUnknownCallError, isUnreachableError } from '../nodes/connection/call-errors.js';
import { NameLookups } from '../nodes/connection/name-lookups.js';
import { NodeReadClient } from '../nodes/connection/node-read-client.js';
import type { Node } from '../nodes/store/node.entity.js';
import { NodeRepository } from '../nodes/store/node.repository.js';
import { OwnMachine } from './own-machine.js';
import { TARGET_BYTES } from './probe-target.js';
import type { Viewpoint, ViewpointRequest } from './viewpoint.js';

/** A node runs so many probes at once. */
const PER_NODE = 2;
/** Probes of all nodes at once: each fetches something from management. */
const OF_ALL_NODES = 32;
const QUESTION_MS = 5_000;
/** Probes may have to wait for those of other replicas on their node: so long, all those of a round together. */
const WAIT_MS = 60_000;

/** Who may probe at once. All rounds of this replica share it. */
export class ProbeTurns {
  private readonly all = new Semaphore(OF_ALL_NODES);
  private readonly ofNodes = new Map<number, Semaphore>();

  /** A probe that waits for others of its node takes no turn from those of other nodes. */
  take<T>(nodeId: number, probe: () => Promise<T>): Promise<T> {
    const ofNode = this.ofNodes.get(nodeId) ?? new Semaphore(PER_NODE);
    this.ofNodes.set(nodeId, ofNode);
    return ofNode.run(() => this.all.run(probe));
  }
}

/** Which nodes there are, which of them can probe, and where they are. One object serves one round, which has an end. */
export class ViewpointSet {
  private readonly able = new Map<number, Promise<Viewpoint | undefined>>();
  private readonly clients: NodeClient[] = [];
  private readonly addresses = new Map<string, Promise<readonly string[]>>();
  private closed = false;

  constructor(
    private readonly nodes: readonly Node[],
    private readonly connect: (node: Node) => Promise<NodeClient>,
    private readonly incapable: Map<number, string>,
    private readonly own: () => Promise<Viewpoint | undefined>,
    private readonly names: NameLookups,
    /** By the monotonic clock; afterwards no probe is made. */
    private readonly endsAt: number,
    private readonly turns: ProbeTurns,
  ) {}

  /**
   * The viewpoints for a server: nodes at other addresses, else the machine of management.
   *
   * @param turn another number begins with another node
   */
  async choose(address: string, wanted: number, turn: number): Promise<Viewpoint[]> {
    const chosen: Viewpoint[] = [];
    for (const [index] of this.nodes.entries()) {
      if (chosen.length === wanted) return chosen;
      const node = this.nodes[(index + turn) % this.nodes.length];
      if (!node || node.address === address) continue;
      const there = await this.resolve(address);
      if ((await this.resolve(node.address)).some((other) => there.includes(other))) continue;
      const viewpoint = await this.viewpointOf(node);
      if (viewpoint) chosen.push(viewpoint);
    }
    const own = chosen.length === 0 ? await this.own() : undefined;
    return own ? [own] : chosen;
  }

  /** A client that connects only afterwards is closed at once. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.clients.map((client) => client.close()));
  }

  private resolve(address: string): Promise<readonly string[]> {
    const found = this.addresses.get(address) ?? this.addressesOf(address);
    this.addresses.set(address, found);
    return found;
  }

  private async addressesOf(address: string): Promise<readonly string[]> {
    return isIP(address) === 0 ? this.names.resolve(address).catch(() => []) : [address];
  }

  private viewpointOf(node: Node): Promise<Viewpoint | undefined> {
    const found = this.able.get(node.id) ?? this.ask(node);
    this.able.set(node.id, found);
    return found;
  }

  /** Whether a node can probe is asked with an empty probe; a node of other make does not know the call. */
  private async ask(node: Node): Promise<Viewpoint | undefined> {
    const known = `${node.address}:${node.port} ${node.nodeVersion}`;
    if (this.incapable.get(node.id) === known) return undefined;
    try {
      const client = await this.connect(node);
      if (this.closed) {
        await client.close();
        return undefined;
      }
      this.clients.push(client);
      await client.probe({ outbounds: '', url: 'http://probe.invalid/' }, { timeoutMs: QUESTION_MS });
      this.incapable.delete(node.id);
      return this.viewpointAt(node, client);
    } catch (error) {
      if (isUnknownCallError(error)) this.incapable.set(node.id, known);
      return undefined;
    }
  }

  private viewpointAt({ id, name }: Node, client: NodeClient): Viewpoint {
    let silence: unknown;
    let waitMs = WAIT_MS;
    const probe = async (request: ViewpointRequest): Promise<ProbeResult> => {
      if (silence !== undefined) throw silence;
      const sentAt = performance.now();
      if (sentAt > this.endsAt) throw new Error('the round of probes has taken too long');
      try {
        const options = { timeoutMs: request.timeoutMs + waitMs };
        const answer = await client.probe({ ...request, maxBytes: TARGET_BYTES }, options);
        const stage = PROBE_STAGES.find((known) => known === answer.stage) ?? 'answer';
        return { ...answer, stage, bytesPerSecond: Number(answer.bytesPerSecond) };
      } catch (error) {
        // Each of its other probes would hold the round up for as long.
        if (isTimeoutError(error) || isUnreachableError(error)) silence = error;
        throw error;
      } finally {
        waitMs = Math.max(0, waitMs - Math.max(0, performance.now() - sentAt - request.timeoutMs));
        if (waitMs === 0) silence ??= new Error('the node answers probes much later than it should');
      }
    };
    return { nodeId: id, name, probe: (request) => this.turns.take(id, () => probe(request)) };
  }
}

/** Opens the viewpoints of a round. */
@Injectable()
export class Viewpoints {
  /** Nodes without the call, with the address and version at which they were asked. */
  private readonly incapable = new Map<number, string>();
  private readonly turns = new ProbeTurns();

  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly client: NodeReadClient,
    private readonly ownMachine: OwnMachine,
    private readonly names: NameLookups,
  ) {}

  /**
   * @param nodeIds only these nodes; undefined: all that are connected
   * @param endsAt when the round ends, by the monotonic clock
   */
  async open(nodeIds: readonly number[] | undefined, endsAt: number): Promise<ViewpointSet> {
    const all = await this.nodes.findEnabledNodes(this.database.manager);
    const wanted = all.filter(({ id, status }) => status === 'connected' && (nodeIds?.includes(id) ?? true));
    const connect = (node: Node) => this.client.connectNode(node);
    const own = async () => (nodeIds ? undefined : this.ownMachine.find());
    return new ViewpointSet(wanted, connect, this.incapable, own, this.names, endsAt, this.turns);
  }
}
