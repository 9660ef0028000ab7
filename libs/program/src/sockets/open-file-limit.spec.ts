import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { openFileLimit, socketLimit } from './open-file-limit.js';

describe('openFileLimit', () => {
  it('is what the shell says', () => {
    const told = execFileSync('sh', ['-c', 'ulimit -Sn'], { encoding: 'utf8' }).trim();
    expect(String(openFileLimit())).toBe(told === 'unlimited' ? 'Infinity' : told);
  });
});

describe('socketLimit', () => {
  it('is what is wanted where that leaves room for files', () => {
    expect(socketLimit(4096, 'MAX', 20_000)).toEqual({ sockets: 4096 });
    expect(socketLimit(4096, 'MAX', Number.POSITIVE_INFINITY)).toEqual({ sockets: 4096 });
  });

  it('leaves room for files, and says so', () => {
    expect(socketLimit(4096, 'MAX', 1024)).toEqual({
      sockets: 768,
      note:
        'At most 768 sockets are open at a time, not 4096 (MAX): this process may open 1024 files. ' +
        'Raise that limit, as with LimitNOFILE of systemd, or lower the setting.',
    });
    expect(socketLimit(4096, 'MAX', 256).sockets).toBe(128);
  });
});
