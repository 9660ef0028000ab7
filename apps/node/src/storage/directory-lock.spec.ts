import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DirectoryLock } from './directory-lock.js';

const HOLD = `require('node:net').createServer().listen('lock', () => console.log('holds'))`;

describe('DirectoryLock', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), `rampart-lock-${'x'.repeat(120)}-`));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('a directory of any path length is locked until the lock is released', async () => {
    const lock = await DirectoryLock.acquire(directory);
    await expect(DirectoryLock.acquire(directory)).rejects.toThrow(
      `another node uses ${directory}: give each node a directory of its own (RAMPART_NODE_DATA_DIR)`,
    );
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
    await (await DirectoryLock.acquire(directory)).release();
  });

  it('the lock of a killed process is taken over by exactly one of many', async () => {
    const holder = spawn(process.execPath, ['-e', HOLD], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    await expect(DirectoryLock.acquire(directory)).rejects.toThrow('another node uses');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(await readdir(directory)).toEqual(['lock']);
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => DirectoryLock.acquire(directory)));
    const taken = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(taken).toHaveLength(1);
    await taken[0]?.release();
    expect(await readdir(directory)).toEqual([]);
  });
});
