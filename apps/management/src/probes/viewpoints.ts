import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NodeClient } from '@rampart/node-client';
import { PROBE_STAGES } from '@rampart/probe';
import { DataSource } from 'typeorm';
import { Semaphore } from '../concurrency/semaphore.js';
import { isTimeoutError, isUnknownCallError, isUnreachableError } from '../nodes/connection/call-errors.js';
import { NodeReadClient } from '../nodes/connection/node-read-client.js';
import type { Node } from '../nodes/store/node.entity.js';
import { NodeRepository } from '../nodes/store/node.repository.js';
import { OwnMachine } from './own-machine.js';
import { TARGET_BYTES } from './probe-target.js';
import type { Viewpoint } from './viewpoint.js';

/** A node runs so many probes at once. */
const PER_NODE = 2;
const QUESTION_MS = 5_000;
/** A probe may have to wait for others on its node. */
const WAIT_MS = 60_000;

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
    /** By the monotonic clock; afterwards no probe is made. */
    private readonly endsAt: number,
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
    const found = this.addresses.get(address) ?? addressesOf(address);
    this.addresses.set(address, found);
    return found;
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
      return viewpointOf(node, client, this.endsAt);
    } catch (error) {
      if (isUnknownCallError(error)) this.incapable.set(node.id, known);
      return undefined;
    }
  }
}

function viewpointOf({ id, name }: Node, client: NodeClient, endsAt: number): Viewpoint {
  const semaphore = new Semaphore(PER_NODE);
  let silence: unknown;
  return {
    nodeId: id,
    name,
    probe: (request) =>
      semaphore.run(async () => {
        if (silence !== undefined) throw silence;
        if (performance.now() > endsAt) throw new Error('the round of probes has taken too long');
        const options = { timeoutMs: request.timeoutMs + WAIT_MS };
        const answer = await client.probe({ ...request, maxBytes: TARGET_BYTES }, options).catch((error: unknown) => {
          // Each of its other probes would hold the round up for as long.
          if (isTimeoutError(error) || isUnreachableError(error)) silence = error;
          throw error;
        });
        const stage = PROBE_STAGES.find((known) => known === answer.stage) ?? 'answer';
        return { ...answer, stage, bytesPerSecond: Number(answer.bytesPerSecond) };
      }),
  };
}

async function addressesOf(address: string): Promise<readonly string[]> {
  if (isIP(address) !== 0) return [address];
  const found = await lookup(address, { all: true }).catch(() => []);
  return found.map(({ address: one }) => one);
}

/** Opens the viewpoints of a round. */
@Injectable()
export class Viewpoints {
  /** Nodes without the call, with the address and version at which they were asked. */
  private readonly incapable = new Map<number, string>();

  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly client: NodeReadClient,
    private readonly ownMachine: OwnMachine,
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
    return new ViewpointSet(wanted, connect, this.incapable, own, endsAt);
  }
}
