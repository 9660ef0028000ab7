import { describe, expect, it } from '@jest/globals';
import type { Check } from '@rampart/program';
import { createDatabase } from '../testing/migrated-database.js';
import { checkDatabase } from './check-database.js';

const warningsAt = async (url: string): Promise<Pick<Check, 'name' | 'seen' | 'advice'>[]> =>
  (await checkDatabase({ url, setting: 'DATABASE_URL' }))
    .filter(({ seen = '' }) => /superuser/.test(seen))
    .map(({ name, seen, advice }) => ({ name, seen, advice }));

describe(checkDatabase.name, () => {
  it('security row 64: warns of a superuser, and of no other role', async () => {
    const server = await createDatabase('migrated');
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
