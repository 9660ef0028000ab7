import { Inject, Injectable } from '@nestjs/common';
import { createNodeClient, type NodeClient } from '@rampart/node-client';
import { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { NodeCertificates } from '../authority/node-certificates.js';
import type { Node } from '../store/node.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import { carefulClient } from './careful-client.js';
import { NodeAddresses } from './node-addresses.js';
import { trustOf } from './server-ca.js';

/** Creates clients of nodes, whose sealed API keys it opens only for this. */
@Injectable()
export class NodeConnector {
  constructor(
    private readonly cipher: AtRestCipher,
    private readonly addresses: NodeAddresses,
    @Inject(NodeCertificates) private readonly certificates: Pick<NodeCertificates, 'trustOfEnrolled'>,
  ) {}

  sealApiKey(nodeId: number, apiKey: string): Buffer {
    return this.cipher.seal(apiKey, sealingContext(nodeId));
  }

  /**
   * Returns a client that connects with its first call, always to the IP address to which the name resolves now.
   *
   * @param requestId the id under which the node logs a call
   * @throws NodeProblem for a key that does not open or an address that is not admitted; NodeClientError for other options
   */
  async connect(node: Node, requestId: () => string | undefined = () => undefined): Promise<NodeClient> {
    const apiKey = this.openKey(node);
    const client = createNodeClient({
      transport: node.connectionType,
      host: node.address,
      address: await this.addresses.resolve(node.address),
      port: node.port,
      tls: (await this.certificates.trustOfEnrolled(node)) ?? trustOf(node.serverCa),
      apiKey,
      requestId,
    });
    return carefulClient(client);
  }

  private openKey({ id, apiKeyEncrypted }: Node): string {
    try {
      return this.cipher.open(apiKeyEncrypted, sealingContext(id));
    } catch (cause) {
      throw new NodeProblem('its API key does not open with the at-rest key of this management: enter it again', {
        cause,
      });
    }
  }
}

/** The context with which a key is sealed, which binds it to the row of its node. */
export const sealingContext = (nodeId: number): string => `node:${nodeId}`;
