import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DirectoryLock } from './directory-lock.js';

const HOLD = `require('node:net').createServer().listen('locks/7', () => console.log('holds'))`;

describe(DirectoryLock.name, () => {
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
    expect(await readdir(join(directory, 'locks'))).toEqual(['1']);
    await (await DirectoryLock.acquire(directory)).release();
    expect(await readdir(join(directory, 'locks'))).toEqual(['2']);
  });

  it('the owner of a lock is asked for it, and decides', async () => {
    const answers = [false, true];
    const lock = await DirectoryLock.acquire(directory, () => answers.shift() ?? false);
    expect(await DirectoryLock.request(directory)).toBe(false);
    expect(await DirectoryLock.request(directory)).toBe(true);
    await lock.release();
    expect(await DirectoryLock.request(directory)).toBe(false);
    const deaf = await DirectoryLock.acquire(directory);
    expect(await DirectoryLock.request(directory)).toBe(false);
    await deaf.release();
  });

  it('the lock of a killed process is taken over by exactly one of many', async () => {
    const holder = spawn(process.execPath, ['-e', HOLD], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    await expect(DirectoryLock.acquire(directory)).rejects.toThrow('another node uses');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    for (let round = 0; round < 20; round += 1) {
      const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => DirectoryLock.acquire(directory)));
      const taken = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
      expect(taken).toHaveLength(1);
      expect(await readdir(join(directory, 'locks'))).toEqual([String(8 + round)]);
      await taken[0]?.release();
    }
  });
});
