import { Injectable } from '@nestjs/common';
import { createNodeClient, type NodeClient } from '@rampart/node-client';
import { AtRestCipher } from '../keys/at-rest-cipher.js';
import type { Node } from './node.entity.js';
import { NodeProblem } from './node-problem.js';
import { trustOf } from './server-ca.js';

/** Keeps the API keys of nodes sealed, and opens them only to call the node. */
@Injectable()
export class NodeConnector {
  constructor(private readonly cipher: AtRestCipher) {}

  sealKey(nodeId: number, apiKey: string): Buffer {
    return this.cipher.seal(apiKey, owner(nodeId));
  }

  /** Nothing is connected yet. @throws NodeProblem when the key does not open, or NodeClientError for options that cannot work */
  connect(node: Node): NodeClient {
    return createNodeClient({
      transport: node.connectionType,
      host: node.address,
      port: node.port,
      tls: trustOf(node.serverCa),
      apiKey: this.openKey(node),
    });
  }

  private openKey({ id, apiKeyEncrypted }: Node): string {
    try {
      return this.cipher.open(apiKeyEncrypted, owner(id));
    } catch (cause) {
      throw new NodeProblem('its API key does not open with the at-rest key of this management: enter it again', {
        cause,
      });
    }
  }
}

/** Binds a sealed key to its row. */
const owner = (nodeId: number): string => `node:${nodeId}`;
