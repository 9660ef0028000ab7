import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Check } from '@rampart/program';
import { TestDatabase } from '../testing/test-database.js';
import { checkDatabase } from './check-database.js';

let server: TestDatabase;
beforeAll(async () => {
  server = await TestDatabase.start('migrated');
});
afterAll(() => server?.close());

const warningsAt = async (url: string): Promise<Pick<Check, 'name' | 'seen' | 'advice'>[]> =>
  (await checkDatabase({ url, setting: 'DATABASE_URL' }))
    .filter(({ seen = '' }) => /superuser/.test(seen))
    .map(({ name, seen, advice }) => ({ name, seen, advice }));

describe('checkDatabase', () => {
  it('security row 64: checkDatabase warns of a superuser, and of no other role', async () => {
    expect(await warningsAt(server.superuserUrl)).toEqual([
      {
        name: 'database settings',
        seen: 'the role rampart of management is a superuser, who may run programs on the machine of the database',
        advice: 'Give management a role of its own, see docs/database.md.',
      },
    ]);
    expect(await warningsAt(server.url)).toEqual([]);
    expect(await warningsAt(server.serviceUrl)).toEqual([]);
  });
});
