import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { engineFiles, fileLimiter } from './engine-files.js';

const GIB = 2 ** 30;

describe(engineFiles.name, () => {
  it.each([
    [0.0625, 1024],
    [1, 8259],
    [4, 33_038],
    [32, 264_305],
  ])('security row 128: with %d GiB of memory users fill half of it at most: %d files', (memory, limit) => {
    expect(engineFiles(undefined, memory * GIB, Number.POSITIVE_INFINITY)).toEqual({ limit });
  });

  it('the node may open no fewer than the engine, and says so where an operator wants more', () => {
    expect(engineFiles(undefined, 32 * GIB, 20_000)).toEqual({ limit: 20_000 });
    expect(engineFiles(500, GIB, 20_000)).toEqual({ limit: 500 });
    expect(engineFiles(30_000, GIB, 20_000)).toEqual({
      limit: 20_000,
      warning:
        'the engine may open 20000 files, not 30000 (RAMPART_NODE_ENGINE_FILES), because the node may open no more: raise that limit, as with LimitNOFILE of systemd',
    });
  });
});

describe(fileLimiter.name, () => {
  it('a program may open so many files and raise that limit no more', async () => {
    const [shell = '', ...args] = (await fileLimiter(500, process.env['PATH'] ?? '')) ?? [];
    const limits = execFileSync(shell, [...args, 'grep', 'open files', '/proc/self/limits'], { encoding: 'utf8' });
    expect(limits.trim().split(/\s+/)).toEqual(['Max', 'open', 'files', '500', '500', 'files']);
  });

  it('it is undefined where PATH has no shell', async () => {
    expect(await fileLimiter(500, '/nowhere')).toBeUndefined();
  });
});
