import { describe, expect, it } from '@jest/globals';
import { RenewalDetector } from './renewal-detector.js';

const checks = (...found: (string | undefined)[]) => {
  const renewal = new RenewalDetector();
  return found.map((now) => renewal.isRenewed('old', now));
};

describe(RenewalDetector, () => {
  it.each<[string, (string | undefined)[], boolean[]]>([
    ['nothing changes', ['old', 'old', 'old'], [false, false, false]],
    ['a new file is found twice', ['old', 'new', 'new'], [false, false, true]],
    ['a file changes between checks', ['half', 'new', 'new'], [false, false, true]],
    ['the old file is put back', ['new', 'old', 'new'], [false, false, false]],
    ['nothing can be read', [undefined, undefined, undefined], [false, false, false]],
    ['nothing could be read in between', ['new', undefined, 'new', 'new'], [false, false, false, true]],
  ])('RenewalDetector detects a renewal when two checks in a row find the same: %s', (_, found, expected) => {
    expect(checks(...found)).toEqual(expected);
  });
});
