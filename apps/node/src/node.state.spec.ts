import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NodeState } from './node.state.js';
import { BackendDouble } from './session/testing/backend-double.js';
import { DirectoryLock } from './storage/directory-lock.js';
import { TrafficMeter } from './traffic/traffic-meter.js';
import { TrafficStore } from './traffic/traffic-store.js';

describe('NodeState of a node that takes over the data directory of another one', () => {
  let dataDir: string;
  const open = async (onTakeOver = () => false): Promise<NodeState> => {
    const traffic = new TrafficStore();
    const meter = new TrafficMeter(
      async () => [],
      traffic,
      () => undefined,
    );
    const backend = new BackendDouble();
    const state = new NodeState({
      ...{ dataDir, traffic, meter, onTakeOver, takesOver: true },
      served: () => backend.users,
      onWarning: (text) => {
        throw new Error(text);
      },
    });
    await state.open();
    return state;
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-state-'));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('NodeState uses a directory whose owner ends right before it is asked', async () => {
    const owner = await open();
    const { request } = DirectoryLock;
    jest.spyOn(DirectoryLock, 'request').mockImplementation(async (directory) => {
      await owner.close();
      return request.call(DirectoryLock, directory);
    });
    const next = await open();
    await next.close();
  });

  it('NodeState fails when the owner of its directory refuses to end', async () => {
    const owner = await open();
    const directory = join(dataDir, 'state');
    await expect(open()).rejects.toThrow(
      `another node uses ${directory}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`,
    );
    await owner.close();
  });

  it('NodeState waits for an owner that has agreed to end', async () => {
    const owner = await open(() => {
      setImmediate(() => void owner.close());
      return true;
    });
    const next = await open();
    await next.close();
  });
});
