import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import type { NodeSettings } from '../env/node.settings.js';
import { createNodeService } from '../node.module.js';
import type { NodeService } from '../node.service.js';
import { enginePids } from '../testing/engine-pids.js';
import { startRequest, testSettings } from '../testing/nodes/test-node.js';

const WITHIN_MS = 1000;

describe('Stop while the engine does not come up', () => {
  const outbounds = [{ protocol: 'freedom' }];
  let settings: NodeSettings;
  let node: NodeService;
  let scratch: string;
  let path: string;
  let holder: ChildProcess | undefined;

  const open = async (): Promise<void> => {
    node = createNodeService(settings);
    await node.onApplicationBootstrap();
  };
  /** An engine waits without end for the lock of its socket. */
  const hold = async (): Promise<void> => {
    holder = spawn('flock', ['--no-fork', `${path}.lock`, 'sh', '-c', 'echo held && exec sleep 60']);
    if (holder.stdout) await once(holder.stdout, 'data');
  };
  const hanging = () =>
    startRequest({
      inbounds: [{ tag: 'path', listen: path, protocol: 'vless', settings: { decryption: 'none' } }],
      outbounds,
    });
  const launched = () =>
    eventually('an engine is launched', async (saw) => saw(await enginePids(settings.dataDir)).length > 0);
  const stopsInTime = async (): Promise<void> => {
    const began = performance.now();
    await node.stop();
    expect(performance.now() - began).toBeLessThan(WITHIN_MS);
    expect(await enginePids(settings.dataDir)).toEqual([]);
  };

  beforeEach(() => {
    settings = testSettings();
    scratch = mkdtempSync(join(tmpdir(), 'rampart-stop-'));
    path = join(scratch, 'in.sock');
  });
  afterEach(async () => {
    await node.onApplicationShutdown();
    holder?.kill('SIGKILL');
    for (const directory of [settings.dataDir, scratch]) rmSync(directory, { recursive: true });
  });

  it('Stop interrupts a first Start and a waiting one, and the next one runs', async () => {
    await open();
    await hold();
    const interrupted = { code: 'INTERRUPTED', message: 'Stop came while the engine was starting', httpStatus: 409 };
    const starts = [hanging(), hanging()].map((request) =>
      expect(node.start(request)).rejects.toMatchObject(interrupted),
    );
    await launched();
    await stopsInTime();
    await Promise.all(starts);
    expect(await node.start(startRequest({ outbounds }))).toMatchObject({ running: true });
  });

  it('Stop interrupts a Start with another configuration', async () => {
    await open();
    await node.start(startRequest({ outbounds }));
    const [before] = await enginePids(settings.dataDir);
    await hold();
    const started = expect(node.start(hanging())).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await eventually('another engine is launched', async (saw) =>
      saw(await enginePids(settings.dataDir)).some((pid) => pid !== before),
    );
    await stopsInTime();
    await started;
    expect(node.info()).toMatchObject({ running: false, warnings: [] });
  });

  it('Stop interrupts the restore of a session', async () => {
    await open();
    await node.start(hanging());
    await node.onApplicationShutdown();
    await hold();
    await open();
    await launched();
    await stopsInTime();
    expect(node.info()).toMatchObject({ running: false, warnings: [] });
  });
});
