import { describe, expect, it } from '@jest/globals';
import { statusSymbol, USER_STATUSES } from './user-status.js';

describe('user status', () => {
  it('every user status has a symbol', () => {
    expect(USER_STATUSES.map(statusSymbol)).toEqual(['✅', '⌛️', '🪫', '❌', '🔌']);
  });
});
