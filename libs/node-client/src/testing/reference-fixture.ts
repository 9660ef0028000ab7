import type { NodeClient, NodeClientOptions } from '../api/node-client.js';
import { createNodeClient } from '../client/create-node-client.js';
import { type Issued, selfSigned } from './certificates.js';
import { REFERENCE_KEY } from './reference-key.js';
import { ReferenceNode, type ReferenceOptions } from './reference-node.js';

/** An inbound for each protocol that tests need, with the protocol as its tag. */
export const REFERENCE_CONFIG = JSON.stringify({
  log: {},
  inbounds: ['trojan', 'vless'].map((protocol) => ({ tag: protocol, protocol })),
});

/** One certificate serves all nodes of a test file. */
let issued: Promise<Issued> | undefined;

/** A reference node that listens, and its clients. */
export class ReferenceFixture {
  private readonly clients: NodeClient[] = [];

  private constructor(
    readonly node: ReferenceNode,
    private readonly port: number,
    private readonly ca: string,
  ) {}

  static async listen(serving: 'grpc' | 'rest', options?: ReferenceOptions): Promise<ReferenceFixture> {
    issued ??= selfSigned({ names: ['127.0.0.1'] });
    const certificate = await issued;
    const node = new ReferenceNode(serving, certificate, options);
    return new ReferenceFixture(node, await node.listen(), certificate.cert);
  }

  client(transport: NodeClientOptions['transport'], apiKey = REFERENCE_KEY): NodeClient {
    const { port, ca } = this;
    const client = createNodeClient({ transport, host: '127.0.0.1', port, apiKey, tls: { ca }, timeoutMs: 5_000 });
    this.clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.node.close();
  }
}
