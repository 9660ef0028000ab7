import { Injectable } from '@nestjs/common';
import { type NodeClient, NodeClientError } from '@rampart/node-client';
import { requestId } from '../../access/request-context.js';
import { ManagementError } from '../../errors/management-error.js';
import type { Node } from '../store/node.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import { NodeConnector } from './node-connector.js';

/** Calls that only read from a node. Any replica may make them; changes are made by the worker of the node. */
@Injectable()
export class NodeReadClient {
  constructor(private readonly connector: NodeConnector) {}

  /** @throws ManagementError with the message of the failed call */
  async callNode<T>(node: Node, call: (client: NodeClient) => Promise<T>): Promise<T> {
    const client = await this.connectNode(node);
    try {
      return await call(client);
    } catch (error) {
      throw toManagementError(error);
    } finally {
      await client.close();
    }
  }

  /** The caller closes the client. @throws ManagementError for a disabled node or one without a valid address */
  async connectNode(node: Node): Promise<NodeClient> {
    if (node.status === 'disabled') throw new ManagementError('NODE_NOT_CONNECTED');
    try {
      const id = requestId();
      return await this.connector.connect(node, () => id);
    } catch (error) {
      throw toManagementError(error);
    }
  }
}

/** Turns errors whose messages are meant for admins into errors of the API. */
export function toManagementError(error: unknown): unknown {
  const isForAdmins = error instanceof NodeClientError || error instanceof NodeProblem;
  return isForAdmins ? new ManagementError('NODE_UNAVAILABLE', error.message) : error;
}
