import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type CallOptions, type NodeClient, NodeClientError } from '@rampart/node-client';
import { NameLookups } from '../nodes/connection/name-lookups.js';
import type { Node } from '../nodes/store/node.entity.js';
import { ProbeTurns, ViewpointSet } from './viewpoints.js';

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

/** A round in which nodes connect as given. */
const viewpointsOf = (
  connect: () => Promise<NodeClient>,
  endsAt = Number.POSITIVE_INFINITY,
  turns = new ProbeTurns(),
): ViewpointSet =>
  new ViewpointSet([NODE], connect, new Map(), async () => undefined, new NameLookups(), endsAt, turns);

describe(ViewpointSet, () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ViewpointSet closes a client that connects only after the round has ended', async () => {
    const client = new NotedClient();
    let connected: (client: NodeClient) => void = () => undefined;
    const promise = new Promise<NodeClient>((resolve) => {
      connected = resolve;
    });
    const viewpoints = viewpointsOf(() => promise);
    const choice = viewpoints.choose('192.0.2.2', 1, 0);
    await viewpoints.close();
    connected(client as unknown as NodeClient);
    expect(await choice).toEqual([]);
    expect(client.calls).toEqual(['close']);
  });

  it('ViewpointSet closes the clients of its viewpoints', async () => {
    const client = new NotedClient();
    const viewpoints = viewpointsOf(async () => client as unknown as NodeClient);
    expect(await viewpoints.choose('192.0.2.2', 1, 0)).toMatchObject([{ nodeId: 1, name: 'near' }]);
    await viewpoints.close();
    expect(client.calls).toEqual(['probe', 'close']);
  });

  it('security row 70: ViewpointSet asks a node that does not answer a probe for no other one', async () => {
    const client = new NotedClient();
    const viewpoints = viewpointsOf(async () => client as unknown as NodeClient);
    const [viewpoint] = await viewpoints.choose('192.0.2.2', 1, 0);
    client.probe = () => {
      client.calls.push('probe');
      return Promise.reject(new NodeClientError('TIMEOUT', 'no answer in time'));
    };
    for (let time = 0; time < 3; time += 1) await expect(viewpoint!.probe(PROBE)).rejects.toThrow('no answer in time');
    expect(client.calls).toEqual(['probe', 'probe']);
  });

  it('security row 90: ViewpointSet waits a minute beyond the time of probes for those of a node, and for all of a round together', async () => {
    jest.useFakeTimers();
    const timeouts: number[] = [];
    const probe = async (_request: object, { timeoutMs = 0 }: CallOptions = {}): Promise<object> => {
      timeouts.push(timeoutMs);
      const takesMs = timeouts.length === 1 ? 0 : 41_000;
      jest.advanceTimersByTime(Math.min(timeoutMs, takesMs));
      if (timeoutMs < takesMs) throw new NodeClientError('TIMEOUT', 'no answer in time');
      return {};
    };
    const viewpoints = viewpointsOf(async () => ({ probe }) as unknown as NodeClient);
    const [viewpoint] = await viewpoints.choose('192.0.2.2', 1, 0);
    expect(await viewpoint?.probe(PROBE)).toMatchObject({ stage: 'answer' });
    for (let time = 0; time < 3; time += 1) await expect(viewpoint?.probe(PROBE)).rejects.toThrow('no answer in time');
    // The first call asks whether the node can probe.
    expect(timeouts).toEqual([5_000, 61_000, 21_000]);
  });

  it('security row 90: ViewpointSet asks a node that has used this minute up for no other probe', async () => {
    jest.useFakeTimers();
    let calls = 0;
    const probe = async (): Promise<object> => {
      calls += 1;
      jest.advanceTimersByTime(31_000);
      return {};
    };
    const viewpoints = viewpointsOf(async () => ({ probe }) as unknown as NodeClient);
    const [viewpoint] = await viewpoints.choose('192.0.2.2', 1, 0);
    for (let time = 0; time < 2; time += 1) expect(await viewpoint?.probe(PROBE)).toMatchObject({ stage: 'answer' });
    const late = 'the node answers probes much later than it should';
    await expect(viewpoint?.probe(PROBE)).rejects.toThrow(late);
    expect(calls).toBe(3);
  });

  it('security row 70: ViewpointSet makes no probe after the end of the round', async () => {
    const client = new NotedClient();
    const viewpoints = viewpointsOf(async () => client as unknown as NodeClient, performance.now() - 1);
    const [viewpoint] = await viewpoints.choose('192.0.2.2', 1, 0);
    await expect(viewpoint!.probe(PROBE)).rejects.toThrow('the round of probes has taken too long');
    expect(client.calls).toEqual(['probe']);
  });
});
