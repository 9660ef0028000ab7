import { Injectable } from '@nestjs/common';
import { type NodeClient, NodeClientError } from '@rampart/node-client';
import { ManagementError } from '../../errors/management-error.js';
import type { Node } from '../store/node.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import { NodeConnector } from './node-connector.js';

/** Asks a node for what it alone knows. Any replica may: only changes are the owner's. */
@Injectable()
export class NodeReadClient {
  constructor(private readonly connector: NodeConnector) {}

  /** @throws ManagementError with the node's own words when it does not answer */
  async callNode<T>(node: Node, question: (client: NodeClient) => Promise<T>): Promise<T> {
    const client = await this.connectNode(node);
    try {
      return await question(client);
    } catch (error) {
      throw toManagementError(error);
    } finally {
      await client.close();
    }
  }

  /** The caller closes it. */
  async connectNode(node: Node): Promise<NodeClient> {
    if (node.status === 'disabled') throw new ManagementError('NODE_NOT_CONNECTED');
    try {
      return await this.connector.connect(node);
    } catch (error) {
      throw toManagementError(error);
    }
  }
}

/** What came of a question, as admins may read it. */
export function toManagementError(error: unknown): unknown {
  const isForAdmins = error instanceof NodeClientError || error instanceof NodeProblem;
  return isForAdmins ? new ManagementError('NODE_UNAVAILABLE', error.message) : error;
}
