import { describe, expect, it } from '@jest/globals';
import { type NodeClient, NodeClientError } from '@rampart/node-client';
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

const PROBE = { outbounds: '[]', url: 'http://192.0.2.9/', timeoutMs: 1_000 };

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
      Number.POSITIVE_INFINITY,
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
    const viewpoints = new ViewpointSet([NODE], connect, new Map(), async () => undefined, Number.POSITIVE_INFINITY);
    expect(await viewpoints.choose('192.0.2.2', 1, 0)).toMatchObject([{ nodeId: 1, name: 'near' }]);
    await viewpoints.close();
    expect(client.calls).toEqual(['probe', 'close']);
  });

  it('security row 70: ViewpointSet asks a node that does not answer a probe for no other one', async () => {
    const client = new NotedClient();
    const viewpoints = new ViewpointSet(
      [NODE],
      async () => client as unknown as NodeClient,
      new Map(),
      async () => undefined,
      Number.POSITIVE_INFINITY,
    );
    const [viewpoint] = await viewpoints.choose('192.0.2.2', 1, 0);
    client.probe = () => {
      client.calls.push('probe');
      return Promise.reject(new NodeClientError('TIMEOUT', 'no answer in time'));
    };
    for (let time = 0; time < 3; time += 1) await expect(viewpoint!.probe(PROBE)).rejects.toThrow('no answer in time');
    expect(client.calls).toEqual(['probe', 'probe']);
  });

  it('security row 70: ViewpointSet makes no probe after the end of the round', async () => {
    const client = new NotedClient();
    const connect = async () => client as unknown as NodeClient;
    const viewpoints = new ViewpointSet([NODE], connect, new Map(), async () => undefined, performance.now() - 1);
    const [viewpoint] = await viewpoints.choose('192.0.2.2', 1, 0);
    await expect(viewpoint!.probe(PROBE)).rejects.toThrow('the round of probes has taken too long');
    expect(client.calls).toEqual(['probe']);
  });
});
