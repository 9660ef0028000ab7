import { describe, expect, it } from '@jest/globals';
import { RenewalDetector } from './renewal-detector.js';

const looks = (...found: (string | undefined)[]) => {
  const renewal = new RenewalDetector();
  return found.map((now) => renewal.isRenewed('old', now));
};

describe(RenewalDetector, () => {
  it.each<[string, (string | undefined)[], boolean[]]>([
    ['nothing changes', ['old', 'old', 'old'], [false, false, false]],
    ['it stands for two looks', ['old', 'new', 'new'], [false, false, true]],
    ['it changes from look to look', ['half', 'new', 'new'], [false, false, true]],
    ['the old one is put back', ['new', 'old', 'new'], [false, false, false]],
    ['nothing can be read', [undefined, undefined, undefined], [false, false, false]],
    ['nothing could be read in between', ['new', undefined, 'new', 'new'], [false, false, false, true]],
  ])('is settled when two looks in a row find the same: %s', (_, found, expected) => {
    expect(looks(...found)).toEqual(expected);
  });
});
