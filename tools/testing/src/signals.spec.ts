import { describe, expect, it } from '@jest/globals';

describe('process.kill in tests', () => {
  it.each([0, -1, 1])('refuses %d, which is never a process of the test', (pid) => {
    expect(() => process.kill(pid, 0)).toThrow(`process.kill(${pid}): no process of this test has this number`);
  });

  it('signals other processes and groups of processes', () => {
    expect(process.kill(process.pid, 0)).toBe(true);
    expect(() => process.kill(-(2 ** 22 + 1), 0)).toThrow(/ESRCH/);
  });
});
