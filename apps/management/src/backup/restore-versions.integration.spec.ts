import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { createDataSource, MIGRATIONS } from '../app/data-source.js';
import { asDatabase } from '../database/database.js';
import { migrate } from '../database/migrate.js';
import { loadSharedKeys } from '../known-keys/load-shared-keys.js';
import { createEmptyDatabase, createMigratedDatabase } from '../testing/migrated-database.js';
import { BackupFixture } from './testing/backup-fixture.js';

jest.setTimeout(60_000);

/** Plays the migration of a later version. */
class Nicknames1864000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD COLUMN nickname text`);
    await runner.query(`UPDATE users SET nickname = upper(username)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN nickname');
  }
}

let fixture: BackupFixture;
beforeAll(async () => {
  fixture = await BackupFixture.create();
});
afterEach(() => void MIGRATIONS.splice(1));
afterAll(() => fixture.remove());

/** A backup of an installation of the present version with the user anna. */
async function backUp(name: string): Promise<string> {
  const database = await createMigratedDatabase();
  await migrate(database);
  const env = fixture.env(`of-${name}`, asDatabase(database).url);
  await loadSharedKeys(database, env, () => undefined);
  await database.query(`INSERT INTO users (username) VALUES ('anna')`);
  return (await fixture.backUp(env, `${name}.age`)).file;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const database = await createDataSource(url).initialize();
  try {
    return await database.query(sql);
  } finally {
    await database.destroy();
  }
}

describe('a restore', () => {
  it.each(['an empty database', 'an installation of the newer version that was only started'])(
    'of a backup of an older version into %s runs the newer migrations on its rows',
    async (into) => {
      const file = await backUp(`older-${into.length}`);
      MIGRATIONS.push(Nicknames1864000000000);
      const url = await createEmptyDatabase();
      if (into !== 'an empty database') {
        const started = await createDataSource(url).initialize();
        await migrate(started);
        await started.destroy();
      }
      await fixture.restore(fixture.env(`into-${into.length}`, url), file);
      expect(await query(url, 'SELECT username, nickname FROM users')).toEqual([
        { username: 'anna', nickname: 'ANNA' },
      ]);
      expect(await query(url, 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1')).toEqual([
        { name: 'Nicknames1864000000000' },
      ]);
    },
  );

  it('of a backup of a newer version is refused before anything changes', async () => {
    MIGRATIONS.push(Nicknames1864000000000);
    const file = await backUp('newer');
    MIGRATIONS.splice(1);
    const url = await createEmptyDatabase();
    await expect(fixture.restore(fixture.env('refused', url), file)).rejects.toThrow(
      /does not know its tables \(Nicknames1864000000000\): restore it with the version that made it, or a newer one$/,
    );
    expect(await query(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });
});
