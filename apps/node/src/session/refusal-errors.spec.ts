import { describe, expect, it } from '@jest/globals';
import { describeRefusals, staleSetError, staleUsersError, usersRefusedError } from './refusal-errors.js';

describe('errors of refused and stale users', () => {
  it('the error of refused users names them with reasons', () => {
    expect(describeRefusals([{ email: '1.ann', reason: 'vless id is not a UUID' }])).toBe(
      '1 user refused: "1.ann" (vless id is not a UUID)',
    );
  });

  it('the error of refused users names the first 20 and counts all', () => {
    const refused = Array.from({ length: 22 }, (_, index) => ({ email: `${index}`, reason: 'r' }));
    const named = Array.from({ length: 20 }, (_, index) => `"${index}" (r)`).join(', ');
    expect(usersRefusedError(refused)).toMatchObject({
      code: 'USERS_REFUSED',
      message: `22 users refused: ${named}, and 2 more`,
    });
  });

  it('the error of a stale message tells the newer revision', () => {
    expect(staleUsersError([{ email: '1.ann', revision: 3n, lastRevision: 5n }])).toMatchObject({
      code: 'STALE_REVISION',
      message: '1 user not changed: "1.ann" (revision 3 is older than 5)',
    });
    expect(staleSetError(3n, 5n)).toMatchObject({
      code: 'STALE_REVISION',
      message: 'revision 3 is older than 5, the last one applied',
    });
  });
});
