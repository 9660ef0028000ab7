import { describe, expect, it } from '@jest/globals';
import { isAwaited } from './awaited-node';

describe('isAwaited', () => {
  it('isAwaited is a node that has never told its version, unless it is disabled', () => {
    expect(isAwaited({ status: 'error', node_version: null })).toBe(true);
    expect(isAwaited({ status: 'connecting', node_version: null })).toBe(true);
    expect(isAwaited({ status: 'disabled', node_version: null })).toBe(false);
    expect(isAwaited({ status: 'error', node_version: '0.5.0' })).toBe(false);
  });
});
