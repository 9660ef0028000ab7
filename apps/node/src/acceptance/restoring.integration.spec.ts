import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ALLOW_PRIVATE, engineVersion } from '@rampart/testing';
import type { NodeSettings } from '../env/node.settings.js';
import { createNodeService } from '../node.module.js';
import type { NodeService } from '../node.service.js';
import { enginePids } from '../testing/engine-pids.js';
import { startRequest, testSettings } from '../testing/nodes/test-node.js';

describe('a restarted node that restores its session', () => {
  const request = startRequest({
    log: { loglevel: 'info' },
    outbounds: [{ protocol: 'freedom', settings: ALLOW_PRIVATE }],
  });
  let settings: NodeSettings;
  let node: NodeService;

  beforeEach(async () => {
    settings = testSettings();
    const before = createNodeService(settings);
    await before.onApplicationBootstrap();
    await before.start(request);
    await before.onApplicationShutdown();
    node = createNodeService(settings);
    await node.onApplicationBootstrap();
  });
  afterEach(async () => {
    await node.onApplicationShutdown();
    await rm(settings.dataDir, { recursive: true });
  });

  it('a node that restores its session answers info and logs at once, and lets other calls wait', async () => {
    expect(node.info()).toMatchObject({ running: false });
    const batches = await node.logs({ signal: new AbortController().signal });
    for await (const lines of batches) {
      expect(lines.map(({ detail }) => detail)).toContainEqual(expect.stringContaining(`Xray ${engineVersion()} `));
      break;
    }
    expect(node.info()).toMatchObject({ running: true });
  });

  it('a node that ends while it restores starts nothing for waiting calls', async () => {
    const waiting = [node.start(request), node.syncUsers({ users: [], revision: 0n }), node.backendStats()];
    const outcomes = Promise.allSettled(waiting);
    await node.onApplicationShutdown();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'SHUTTING_DOWN' } });
    expect(await enginePids(settings.dataDir)).toEqual([]);
  });
});
