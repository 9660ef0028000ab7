import { describe, expect, it } from '@jest/globals';
import type { NodeClient } from '@rampart/node-client';
import type { Node } from '../nodes/store/node.entity.js';
import { ViewpointSet } from './viewpoints.js';

/** A client that only notes what is called. */
class NotedClient {
  readonly calls: string[] = [];
  async probe(): Promise<object> {
    this.calls.push('probe');
    return {};
  }
  async close(): Promise<void> {
    this.calls.push('close');
  }
}

const NODE = { id: 1, name: 'near', address: '192.0.2.1', port: 1, nodeVersion: '' } as Node;

describe(ViewpointSet, () => {
  it('ViewpointSet closes a client that connects only after the round has ended', async () => {
    const client = new NotedClient();
    let connected: (client: NodeClient) => void = () => undefined;
    const promise = new Promise<NodeClient>((resolve) => {
      connected = resolve;
    });
    const viewpoints = new ViewpointSet(
      [NODE],
      () => promise,
      new Map(),
      async () => undefined,
    );
    const choice = viewpoints.choose('192.0.2.2', 1, 0);
    await viewpoints.close();
    connected(client as unknown as NodeClient);
    expect(await choice).toEqual([]);
    expect(client.calls).toEqual(['close']);
  });

  it('ViewpointSet closes the clients of its viewpoints', async () => {
    const client = new NotedClient();
    const connect = async () => client as unknown as NodeClient;
    const viewpoints = new ViewpointSet([NODE], connect, new Map(), async () => undefined);
    expect(await viewpoints.choose('192.0.2.2', 1, 0)).toMatchObject([{ nodeId: 1, name: 'near' }]);
    await viewpoints.close();
    expect(client.calls).toEqual(['probe', 'close']);
  });
});
