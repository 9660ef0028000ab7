import { describe, expect, it } from '@jest/globals';
import { splitEarlyData } from './early-data.js';

describe(splitEarlyData, () => {
  it.each([
    ['/w', '/w', 0],
    ['/w?ed=2048', '/w', 2048],
    ['/w?ed=2048&a=b', '/w?a=b', 2048],
    ['/w?a=b&ed=2048', '/w?a=b', 2048],
    ['/w?a=b&ed=1&c=d', '/w?a=b&c=d', 1],
    ['/w?red=2048', '/w?red=2048', 0],
    ['/w?ed=x', '/w?ed=x', 0],
    ['', '', 0],
  ])('splitEarlyData reads %j', (text, path, maxEarlyData) => {
    expect(splitEarlyData(text)).toEqual({ path, maxEarlyData });
  });
});
