import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { openFileLimit, socketLimit } from './open-file-limit.js';

describe(openFileLimit.name, () => {
  it('the limit of open files is the one that the shell prints', () => {
    const told = execFileSync('sh', ['-c', 'ulimit -Sn'], { encoding: 'utf8' }).trim();
    expect(String(openFileLimit())).toBe(told === 'unlimited' ? 'Infinity' : told);
  });
});

describe(socketLimit.name, () => {
  it('the number of sockets is the wanted one when enough files are left for the program', () => {
    expect(socketLimit(4096, 'MAX', 20_000)).toEqual({ sockets: 4096 });
    expect(socketLimit(4096, 'MAX', Number.POSITIVE_INFINITY)).toEqual({ sockets: 4096 });
  });

  it('the number of sockets leaves files for the program, and a note says so', () => {
    expect(socketLimit(4096, 'MAX', 1024)).toEqual({
      sockets: 768,
      note:
        'At most 768 sockets are open at a time, not 4096 (MAX): this process may open 1024 files. ' +
        'Raise that limit, as with LimitNOFILE of systemd, or lower the setting.',
    });
    expect(socketLimit(4096, 'MAX', 256).sockets).toBe(128);
  });
});
