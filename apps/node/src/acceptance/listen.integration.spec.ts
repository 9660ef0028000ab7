import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NodeDouble } from '../testing/nodes/node-double.js';
import { RunningNode } from '../testing/nodes/running-node.js';

describe('listen', () => {
  let first: RunningNode;

  beforeAll(async () => {
    first = await RunningNode.open({ service: new NodeDouble() });
  });
  afterAll(() => first.close());

  it.each([
    [
      () => ({ RAMPART_NODE_PORT: `${first.port}` }),
      () => `Port ${first.port} on 127.0.0.1 is taken by another program: set RAMPART_NODE_PORT to a free one.`,
    ],
    [
      () => ({ RAMPART_NODE_HOST: '192.0.2.1' }),
      () => 'This machine has no address 192.0.2.1: set RAMPART_NODE_HOST to one of its own.',
    ],
  ])('the error for an unavailable address names its setting', async (settings, message) => {
    await expect(RunningNode.open({ service: new NodeDouble(), settings: settings() })).rejects.toMatchObject({
      name: 'OperatorError',
      message: message(),
    });
  });
});
