import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { enginePath } from '@rampart/testing';
import { buildNode } from '../testing/nodes/node-program.js';

const SCRIPT = fileURLToPath(new URL('../testing/nodes/ipv6-only.mjs', import.meta.url));
const canUnshare = spawnSync('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
const test = canUnshare ? it : it.skip;

describe('a machine with IPv6 only', () => {
  beforeAll(() => buildNode());

  test.each([
    ['on every address', 'ip link set lo up', ''],
    // Without 127.0.0.1 the engine's "every address" does not include IPv6, so the inbound names its own.
    ['on its IPv6 address, without 127.0.0.1', 'ip link set lo up && ip -4 addr flush dev lo', '::1'],
  ])(
    'a node on a machine with IPv6 only listens, answers over each transport and serves users %s',
    async (_what, setUp, listen) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'rampart-ipv6-'));
      const command = `${setUp} && exec "$0" "$@"`;
      const { stdout } = await promisify(execFile)(
        'unshare',
        ['--net', 'sh', '-c', command, process.execPath, SCRIPT, enginePath(), dataDir, listen],
        { timeout: 25_000 },
      );
      expect(JSON.parse(stdout)).toEqual({
        address: '[::]:17998',
        running: { grpc: true, rest: true, auto: true },
        page: 'the page',
        code: 0,
      });
      await rm(dataDir, { recursive: true, force: true });
    },
  );
});
