import { describe, expect, it, jest } from '@jest/globals';
import { readSchema } from './backup/testing/table-contents.js';
import { MANAGEMENT_VERSION } from './env/version.js';
import { AtRestCipher } from './keys/at-rest-cipher.js';
import { createEmptyDatabase } from './testing/migrated-database.js';
import { ReadEverything } from './testing/read-everything.js';
import { readReleased, releasedVersions, writeReleased } from './testing/released-installation.js';
import { loadDump } from './testing/schema-dump.js';
import { TestManagement } from './testing/test-management.js';

jest.setTimeout(120_000);

/** Lines of the schema without those of partitions, which depend on the day. */
const lasting = (schema: readonly string[]): string[] => schema.filter((line) => !/_\d{6,8}\b/.test(line));

if (process.env['RAMPART_WRITE_RELEASED_SCHEMA'])
  describe('the dump of this version', () => {
    it('is written', async () => {
      // The token of the dump never ends.
      const management = await TestManagement.start({ RAMPART_API_TOKEN_DAYS: '0' });
      try {
        await writeReleased(management, MANAGEMENT_VERSION);
      } finally {
        await management.close();
      }
    });
  });

describe('an upgrade', () => {
  it('is tested from a dump of this version, too', () => {
    expect(releasedVersions()).toContain(MANAGEMENT_VERSION);
  });

  it.each(releasedVersions())(
    'from %s keeps links, logins and node keys working, and makes the tables of a new one',
    async (version) => {
      const { dump, installation } = readReleased(version);
      const { keys, apiToken, users, node } = installation;
      const url = await createEmptyDatabase();
      await loadDump(url, dump);
      // The sudo admin logs in here.
      const management = await TestManagement.start({
        DATABASE_URL: url,
        RAMPART_JWT_KEY: keys.jwt,
        RAMPART_SUBSCRIPTION_KEY: keys.subscription,
        RAMPART_AT_REST_KEY: keys.atRest,
      });
      const fresh = await TestManagement.start();
      try {
        expect((await management.call('GET', '/api/admin', undefined, apiToken)).status).toBe(200);
        for (const { username, path, credential } of users) {
          const { status, text } = await management.request('GET', `${path}/links`, undefined, '');
          expect([username, status]).toEqual([username, 200]);
          const links = text
            .split('\n')
            .map((link) => Buffer.from(link.replace(/^ss:\/\/([^@]+)@.*$/, '$1'), 'base64url').toString());
          expect(links).toContainEqual(expect.stringContaining(credential));
        }
        const [row] = await management.database.query('SELECT api_key_encrypted AS sealed FROM nodes WHERE id = $1', [
          node.id,
        ]);
        expect(management.app.get(AtRestCipher).open(row.sealed, `node:${node.id}`)).toBe(node.apiKey);
        const everything = await ReadEverything.of(management);
        const [anna] = users;
        expect(await everything.problems({ username: anna!.username, token: anna!.path.split('/').at(-1)! })).toEqual(
          [],
        );
        // A difference means that a released migration was changed, or that a migration is missing. As long as this version is
        // not released, `npm run released-schema` writes its dump anew.
        expect(lasting(await readSchema(management.database))).toEqual(lasting(await readSchema(fresh.database)));
      } finally {
        await management.close();
        await fresh.close();
      }
    },
  );
});
