import { Injectable } from '@nestjs/common';
import { nodeEmail } from '@rampart/domain';
import { DataSource, Not } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { Semaphore } from '../../concurrency/semaphore.js';
import { ManagementError } from '../../errors/management-error.js';
import { findUser } from '../../user-store/find-user.js';
import { NodeReadClient } from '../connection/node-read-client.js';
import { Node } from '../store/node.entity.js';
import { findNode } from '../store/node.repository.js';
import { type ByNode, type NodeStatsView, nodeStatsView } from './node-live.dto.js';

const ANSWER = { timeoutMs: 5_000 };
const NODES_AT_ONCE = 64;

/** What nodes say of this moment. */
@Injectable()
export class NodeLiveService {
  constructor(
    private readonly database: DataSource,
    private readonly reader: NodeReadClient,
  ) {}

  async stats(id: number): Promise<NodeStatsView> {
    return this.statsOf(await findNode(this.database.manager, id));
  }

  /** null for a node that does not answer. */
  async allStats(): Promise<ByNode<NodeStatsView | null>> {
    const nodes = await this.database.manager.find(Node, { where: { status: Not('disabled') }, order: { id: 'ASC' } });
    const gate = new Semaphore(NODES_AT_ONCE);
    const stats = nodes.map((node) => gate.run(() => this.statsOf(node).catch(nullOf)));
    return Object.fromEntries((await Promise.all(stats)).map((answer, index) => [nodes[index]?.id, answer]));
  }

  /** From how many addresses a user is connected. */
  async online(actor: Actor, id: number, username: string): Promise<ByNode<number>> {
    const { node, email } = await this.find(actor, id, username);
    const { value } = await this.reader.callNode(node, (client) => client.userOnline(email, ANSWER));
    return { [id]: Number(value) };
  }

  /** The addresses, and when each was last seen, in unix seconds. */
  async onlineAddresses(actor: Actor, id: number, username: string): Promise<ByNode<Record<string, number>>> {
    const { node, email } = await this.find(actor, id, username);
    const { ips } = await this.reader.callNode(node, (client) => client.userOnlineIps(email, ANSWER));
    return { [id]: Object.fromEntries(Object.entries(ips).map(([address, seen]) => [address, Number(seen)])) };
  }

  private async find(actor: Actor, id: number, username: string): Promise<{ node: Node; email: string }> {
    const { manager } = this.database;
    const node = await findNode(manager, id);
    const user = await findUser(manager, actor, username);
    return { node, email: nodeEmail(user.id, user.username) };
  }

  private async statsOf(node: Node): Promise<NodeStatsView> {
    return nodeStatsView(await this.reader.callNode(node, (client) => client.systemStats(ANSWER)));
  }
}

function nullOf(error: unknown): null {
  if (error instanceof ManagementError) return null;
  throw error;
}
