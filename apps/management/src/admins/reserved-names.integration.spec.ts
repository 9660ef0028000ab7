import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routesOf } from '../testing/routes.js';
import { TestManagement } from '../testing/test-management.js';
import { adminNameProblem } from '../validation/admin-name.js';

let management: TestManagement;
beforeAll(async () => {
  management = await TestManagement.start();
});
afterAll(() => management?.close());

/** The parts of routes that stand where routes about one admin have its name. */
const takenNames = (): string[] => {
  const parts = routesOf(management.app).map(({ path }) => path.split('/'));
  const own = parts.filter((path) => path[1] === 'api' && path[2] === 'admin' && path[3] !== undefined);
  return [...new Set(own.map((path) => path[3] ?? ''))].filter((part) => !part.startsWith(':')).sort();
};

describe('security row 113: names of admins that routes have for themselves', () => {
  it('are found in the routes', () => {
    expect(takenNames()).toEqual([
      'passwords-without-code',
      'session',
      'sessions',
      'step-up',
      'token',
      'tokens',
      'totp',
    ]);
  });

  it('are all refused, so that every admin can be reached and deleted', async () => {
    for (const username of takenNames()) {
      const request = { username, password: 'Quite-Long-7x!Qz-admin', is_sudo: true };
      expect(await management.call('POST', '/api/admin', request)).toEqual({
        status: 422,
        body: { detail: { username: adminNameProblem(username) }, code: 'INVALID_FIELDS' },
      });
      expect(adminNameProblem(username)).toBe(`Username must not be ${username}`);
    }
  });

  it('are found where an admin has one already, so that it can be deleted', async () => {
    await management.plainAdmin('token');
    expect((await management.call('DELETE', '/api/admin/token')).status).toBe(204);
  });
});
