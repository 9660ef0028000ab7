import { describe, expect, it } from '@jest/globals';
import { cpuUsage } from './machine.js';

describe(cpuUsage.name, () => {
  it.each([
    [{ busy: 10, all: 100 }, { busy: 10, all: 200 }, 0],
    [{ busy: 10, all: 100 }, { busy: 43, all: 200 }, 33],
    [{ busy: 0, all: 0 }, { busy: 1, all: 3 }, 33.3],
    [{ busy: 5, all: 10 }, { busy: 15, all: 20 }, 100],
    [{ busy: 5, all: 10 }, { busy: 5, all: 10 }, 0],
  ])('the processor usage between %j and %j is %d percent', (before, after, percent) => {
    expect(cpuUsage(before, after)).toBe(percent);
  });
});
