import { describe, expect, it } from '@jest/globals';
import { NodeClientError } from '../errors/node-client-error.js';
import { RefusedUsers } from './refused-users.js';

const refusal = (email: string) =>
  new NodeClientError('USERS_REFUSED', `1 user refused: "${email}" (no id)`, { httpStatus: 400 });
const stale = (email: string) =>
  new NodeClientError('STALE_REVISION', `1 user not changed: "${email}" (old)`, { httpStatus: 409 });

function gathered(...errors: NodeClientError[]): RefusedUsers {
  const refused = new RefusedUsers();
  for (const error of errors) refused.add(error);
  return refused;
}

describe(RefusedUsers.name, () => {
  it('throws nothing without refusals', () => expect(gathered().throwIfAny()).toBeUndefined());

  it('throws a single refusal unchanged', () => {
    const only = refusal('1.a');
    expect(() => gathered(only).throwIfAny()).toThrow(only);
  });

  it('names several users, refused ones before those with a stale revision', () => {
    const refused = gathered(stale('3.c'), refusal('1.a'), refusal('2.b'));
    expect(() => refused.throwIfAny()).toThrow(
      expect.objectContaining({
        code: 'USERS_REFUSED',
        httpStatus: 400,
        message: '2 users refused: "1.a" (no id), "2.b" (no id)',
      }),
    );
    expect(() => gathered(stale('3.c'), stale('4.d')).throwIfAny()).toThrow(
      expect.objectContaining({
        code: 'STALE_REVISION',
        httpStatus: 409,
        message: '2 users not changed: "3.c" (old), "4.d" (old)',
      }),
    );
  });

  it('names twenty users and counts all', () => {
    const emails = Array.from({ length: 22 }, (_, index) => `u${index}`);
    const named = emails.slice(0, 20).map((email) => `"${email}" (no id)`);
    expect(() => gathered(...emails.map(refusal)).throwIfAny()).toThrow(
      `22 users refused: ${named.join(', ')}, and 2 more`,
    );
  });

  it('throws any other error at once', () => {
    const other = new NodeClientError('UNREACHABLE', 'gone');
    expect(() => gathered(other)).toThrow(other);
  });
});
