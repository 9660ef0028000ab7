import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FolderLock } from './folder-lock.js';

const HOLD = `require('node:net').createServer().listen('./7', () => console.log('holds'))`;
const silent = () => '';

describe(FolderLock.name, () => {
  let base: string;
  let folder: string;
  let holder: ChildProcess | undefined;

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), `rampart-lock-${'x'.repeat(120)}-`));
    folder = join(base, 'locks');
  });
  afterEach(async () => {
    holder?.kill('SIGKILL');
    await rm(base, { recursive: true, force: true });
  });

  it('is held from its acquisition to its release, and every owner has a number of its own', async () => {
    expect(await FolderLock.isHeld(folder)).toBe(false);
    const lock = await FolderLock.acquire(folder, silent);
    expect([await FolderLock.isHeld(folder), await readdir(folder)]).toEqual([true, ['1']]);
    expect(await FolderLock.acquire(folder, silent)).toBeUndefined();
    await lock?.release();
    expect(await FolderLock.isHeld(folder)).toBe(false);
    await (await FolderLock.acquire(folder, silent))?.release();
    expect(await readdir(folder)).toEqual(['2']);
  });

  it('brings a question to the owner and its answer back, and nobody answers for an owner that is gone', async () => {
    expect(await FolderLock.ask(folder, 'who')).toBe('');
    const lock = await FolderLock.acquire(folder, (question) => `${question}: me`);
    expect(await FolderLock.ask(folder, 'who')).toBe('who: me');
    await lock?.release();
    expect(await FolderLock.ask(folder, 'who')).toBe('');
  });

  it('of a killed process is taken over by exactly one of many, however late the others act', async () => {
    await (await FolderLock.acquire(folder, silent))?.release();
    holder = spawn(process.execPath, ['-e', HOLD], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    if (holder.stdout) await once(holder.stdout, 'data');
    expect(await FolderLock.acquire(folder, silent)).toBeUndefined();
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    for (let round = 0; round < 20; round += 1) {
      const attempts = await Promise.all(Array.from({ length: 8 }, () => FolderLock.acquire(folder, silent)));
      const taken = attempts.filter((lock) => lock !== undefined);
      expect([taken.length, await readdir(folder)]).toEqual([1, [`${8 + round}`]]);
      await taken[0]?.release();
    }
  });
});
