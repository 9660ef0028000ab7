import { Injectable } from '@nestjs/common';
import { nodeTag } from '@rampart/core-config';
import { nodeEmail } from '@rampart/domain';
import type { NodeClient, SystemStatsResponse } from '@rampart/node-client';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { Semaphore } from '../../concurrency/semaphore.js';
import { ManagementError } from '../../errors/management-error.js';
import { findUser } from '../../user-store/find-user.js';
import { usersById } from '../../user-store/served/served-users.js';
import { NodeReadClient } from '../connection/node-read-client.js';
import type { Node } from '../store/node.entity.js';
import { NodeRepository } from '../store/node.repository.js';
import type { ByNode, NodeStatsView } from './node-live.dto.js';

const CALL_OPTIONS = { timeoutMs: 5_000 };
const MAX_CONCURRENT_CALLS = 64;

/** What only the nodes themselves know at this moment. */
@Injectable()
export class NodeLiveService {
  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly client: NodeReadClient,
  ) {}

  async stats(id: number): Promise<NodeStatsView> {
    return this.readStats(await this.nodes.findNode(this.database.manager, id));
  }

  /** The statistics of all enabled nodes by id; null for a node that does not answer. */
  async allStats(): Promise<ByNode<NodeStatsView | null>> {
    const nodes = await this.nodes.findEnabledNodes(this.database.manager);
    const semaphore = new Semaphore(MAX_CONCURRENT_CALLS);
    const stats = nodes.map((node) => semaphore.run(() => this.readStats(node).catch(nullIfUnavailable)));
    return Object.fromEntries((await Promise.all(stats)).map((answer, index) => [nodes[index]?.id, answer]));
  }

  /** The number of addresses from which a user is connected. */
  async online(actor: Actor, id: number, username: string): Promise<ByNode<number>> {
    const answer = await this.askAboutUser(actor, id, username, (client, email) =>
      client.userOnline(email, CALL_OPTIONS),
    );
    return { [id]: Number(answer?.value ?? 0) };
  }

  /** The addresses from which a user is connected, with the unix seconds when each was last seen. */
  async onlineAddresses(actor: Actor, id: number, username: string): Promise<ByNode<Record<string, number>>> {
    const answer = await this.askAboutUser(actor, id, username, (client, email) =>
      client.userOnlineIps(email, CALL_OPTIONS),
    );
    const seenAt = Object.entries(answer?.ips ?? {});
    return { [id]: Object.fromEntries(seenAt.map(([address, seen]) => [address, Number(seen)])) };
  }

  /** A node that does not serve the user is not told the name, and nothing is returned. */
  private async askAboutUser<T>(
    actor: Actor,
    id: number,
    username: string,
    ask: (client: NodeClient, email: string) => Promise<T>,
  ): Promise<T | undefined> {
    const { manager } = this.database;
    const node = await this.nodes.findNode(manager, id);
    const user = await findUser(manager, actor, username);
    const [known] = await usersById(manager, [user.id]);
    const isServed = known?.inboundTags.some((tag) => node.inboundTags.includes(nodeTag(tag)));
    const email = nodeEmail(user.id, user.username);
    return this.client.callNode(node, async (client) => (isServed ? ask(client, email) : undefined));
  }

  private async readStats(node: Node): Promise<NodeStatsView> {
    return nodeStatsView(await this.client.callNode(node, (client) => client.systemStats(CALL_OPTIONS)));
  }
}

function nullIfUnavailable(error: unknown): null {
  if (error instanceof ManagementError) return null;
  throw error;
}

/** The statistics of a node's machine as the API shows them. */
const nodeStatsView = (stats: SystemStatsResponse): NodeStatsView => ({
  mem_total: Number(stats.memTotal),
  mem_used: Number(stats.memUsed),
  cpu_cores: Number(stats.cpuCores),
  cpu_usage: stats.cpuUsage,
  incoming_bandwidth_speed: Number(stats.incomingBandwidthSpeed),
  outgoing_bandwidth_speed: Number(stats.outgoingBandwidthSpeed),
  uptime: Number(stats.uptime),
});
