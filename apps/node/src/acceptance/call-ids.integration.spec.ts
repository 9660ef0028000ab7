import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NodeClient } from '@rampart/node-client';
import { RunningNode } from '../testing/nodes/running-node.js';

describe('the ids of calls in the log of a node', () => {
  let node: RunningNode;
  let id: string | undefined;

  beforeAll(async () => {
    node = await RunningNode.open();
  });

  afterAll(() => node.close());

  /** The next line about a Stop after a number of such lines. */
  async function stopLine(client: NodeClient, before: number): Promise<string | undefined> {
    let seen = 0;
    for await (const { detail } of client.logs()) {
      if (!detail.startsWith('[rampart] Stop')) continue;
      seen += 1;
      if (seen > before) return detail;
    }
    return undefined;
  }

  it.each([
    ['grpc', 'the-id:1', 0],
    ['rest', 'the-id_2.x', 1],
  ] as const)('a call over %s is logged with the id that its caller sends', async (transport, given, before) => {
    const client = node.client(transport, { requestId: () => id });
    id = given;
    await client.stop();
    expect(await stopLine(client, before)).toBe(`[rampart] Stop: nothing ran (request ${given})`);
  });

  it('a call without an id is logged without one, and a text that is no id is never sent', async () => {
    for (const transport of ['grpc', 'rest'] as const) {
      const client = node.client(transport, { requestId: () => id });
      id = undefined;
      await client.stop();
      id = 'no id';
      await expect(client.stop()).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: 'requestId must return 1 to 128 letters, digits, ".", "_", ":" or "-"',
      });
    }
    const reader = node.client('grpc');
    expect(await stopLine(reader, 2)).toBe('[rampart] Stop: nothing ran');
    expect(await stopLine(reader, 3)).toBe('[rampart] Stop: nothing ran');
  });
});
