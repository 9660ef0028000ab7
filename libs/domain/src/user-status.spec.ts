import { describe, expect, it } from '@jest/globals';
import { isServed, statusSymbol, USER_STATUSES } from './user-status.js';

describe('user status', () => {
  it('is served while active or on hold', () => {
    expect(USER_STATUSES.filter(isServed)).toEqual(['active', 'on_hold']);
  });

  it('has a symbol', () => {
    expect(USER_STATUSES.map(statusSymbol)).toEqual(['✅', '⌛️', '🪫', '❌', '🔌']);
  });
});
