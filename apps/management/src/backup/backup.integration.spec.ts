import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Decrypter, Encrypter, generateIdentity } from 'age-encryption';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../app/data-source.js';
import { asDatabase } from '../database/database.js';
import { keyFileIn } from '../keys/keys.js';
import { loadSharedKeys } from '../known-keys/load-shared-keys.js';
import { createEmptyDatabase, createMigratedDatabase } from '../testing/migrated-database.js';
import { TestManagement } from '../testing/test-management.js';
import type { AcceptedSigners } from './accept-signer.js';
import { BackupError } from './backup-error.js';
import { fingerprintOf, signerOf, signingKey } from './backup-signature.js';
import { checkVersion } from './restore-backup.js';
import { BackupFixture } from './testing/backup-fixture.js';
import { fillTables } from './testing/fill-tables.js';
import { type Contents, readContents } from './testing/table-contents.js';
import { verifyBackup } from './verify-backup.js';

jest.setTimeout(60_000);

let fixture: BackupFixture;
let source: DataSource;
let before: Contents;
let file: string;

beforeAll(async () => {
  fixture = await BackupFixture.create();
  source = await createMigratedDatabase();
  const env = fixture.env('source', asDatabase(source).url);
  await loadSharedKeys(source, env, () => undefined);
  await fillTables(source);
  before = await readContents(source);
  ({ file } = await fixture.backUp(env, 'whole.age'));
});
afterAll(() => fixture.remove());

const urlOf = (database: DataSource): string => asDatabase(database).url;

/** Connects for a moment: a restore refuses a database to which the service is connected. */
async function inspect<T>(url: string, read: (database: DataSource) => Promise<T>): Promise<T> {
  const database = await createDataSource(url).initialize();
  try {
    return await read(database);
  } finally {
    await database.destroy();
  }
}

/** An installation with a database of this URL and a data folder of its own. */
function installation(url: string, settings: Record<string, string> = {}) {
  return {
    env: fixture.env(`data-${randomBytes(4).toString('hex')}`, url, settings),
    contents: () => inspect(url, readContents),
    query: <T>(sql: string): Promise<T[]> => inspect(url, (database) => database.query(sql)),
  };
}

const emptyInstallation = async () => installation(await createEmptyDatabase());

/** An installation whose database has its tables. */
async function migratedInstallation() {
  const database = await createMigratedDatabase();
  await database.destroy();
  return installation(urlOf(database));
}

const verify = (path: string, identity = fixture.identity) =>
  verifyBackup({ file: path, decryptWith: { identities: [identity] }, onProgress: () => undefined }, async (header) =>
    checkVersion(header),
  );

/** A backup of other bytes beside the whole one. */
async function changed(bytes: Buffer): Promise<string> {
  const path = fixture.path('changed.age');
  await writeFile(path, bytes);
  return path;
}

describe('a backup', () => {
  it('is tested with a row in every table of the catalogue', () => {
    const partitioned = Object.keys(before.rows).filter((name) => /_\d{6,8}$/.test(name));
    const empty = Object.entries(before.rows).filter(
      ([name, rows]) => rows.length === 0 && !partitioned.includes(name),
    );
    expect(empty.map(([name]) => name)).toEqual([]);
    expect(partitioned.length).toBeGreaterThan(9);
  });

  it('restores every table, sequence, index and trigger as it was, except for what others remember', async () => {
    const { env, contents, query } = await emptyInstallation();
    await fixture.restore(env, file);
    const after = await contents();
    expect(after.schema).toEqual(before.schema);
    expect({ ...after.sequences, users_id_seq: null, admins_id_seq: null, audit_entries_id_seq: null }).toEqual({
      ...before.sequences,
      users_id_seq: null,
      admins_id_seq: null,
      audit_entries_id_seq: null,
    });
    const different = Object.keys(before.rows).filter((name) => `${after.rows[name]}` !== `${before.rows[name]}`);
    const month = new Date().toISOString().slice(0, 7).replace('-', '');
    expect(different.sort()).toEqual(['audit_entries', `audit_entries_${month}`, 'counters']);
    expect(Object.keys(after.rows)).toEqual(Object.keys(before.rows));
    // Revisions and ids that nodes, links and logins know from after the backup are not used again.
    expect(after.rows['counters']).toContain('(revision,1000000)');
    expect(after.sequences['users_id_seq']).toBe(String(Number(before.sequences['users_id_seq']) + 1_000_000));
    expect(after.sequences['admins_id_seq']).toBe(String(Number(before.sequences['admins_id_seq']) + 1_000_000));
    const entries = await query("SELECT actor, target FROM audit_entries WHERE action = 'backup.restore'");
    expect(entries).toEqual([{ actor: 'local', target: 'backup' }]);
  });

  it('is one moment of the database, although it changes meanwhile', async () => {
    const database = await createMigratedDatabase();
    const env = fixture.env('moving', urlOf(database));
    await loadSharedKeys(database, env, () => undefined);
    let ends = false;
    // Each change keeps the sum of both tables at 0.
    await database.query('INSERT INTO counters VALUES ($1, 0)', ['balance']);
    const changes = (async () => {
      for (let n = 1; !ends; n += 1)
        await database.transaction(async (manager) => {
          await manager.query(`UPDATE counters SET value = value - 1 WHERE name = 'balance'`);
          await manager.query(`INSERT INTO users (username) VALUES ($1)`, [`user${n}`]);
        });
    })();
    const { file: moving } = await fixture.backUp(env, 'moving.age');
    ends = true;
    await changes;
    const restored = await emptyInstallation();
    await fixture.restore(restored.env, moving);
    const [row] = await restored.query<Record<'users' | 'counted' | 'made', number>>(
      `SELECT (SELECT count(*) FROM users)::integer AS users, (SELECT value FROM counters WHERE name = 'users')::integer AS counted,
         (SELECT -value FROM counters WHERE name = 'balance')::integer AS made`,
    );
    expect([row?.counted, row?.made]).toEqual([row?.users, row?.users]);
  });

  it('never overwrites a file, and leaves none behind when it fails', async () => {
    const env = fixture.env('source', urlOf(source));
    await expect(fixture.backUp(env, 'whole.age')).rejects.toThrow(
      `${file} exists already, and a backup never overwrites a file`,
    );
    await expect(fixture.backUp(fixture.env('other', urlOf(source)), 'new.age')).rejects.toThrow(
      'The keys jwt, subscription, atRest are missing: neither',
    );
    expect((await readdir(fixture.folder)).filter((name) => name.startsWith('new.age'))).toEqual([]);
  });

  it('is refused with other keys than the database is used with', async () => {
    await mkdir(fixture.path('strange'));
    const key = randomBytes(32).toString('base64');
    await writeFile(keyFileIn(fixture.path('strange')), JSON.stringify({ jwt: key, subscription: key, atRest: key }));
    await expect(fixture.backUp(fixture.env('strange', urlOf(source)), 'strange.age')).rejects.toThrow(
      'The database is used with other keys than those of this program (jwt, subscription, atRest): run the backup with the settings and the data folder of the service',
    );
  });

  it('security row 29: can be read by its recipient alone, and its file by its owner', async () => {
    expect((await verify(file)).tables.length).toBeGreaterThan(29);
    await expect(verify(file, await generateIdentity())).rejects.toThrow(
      'The backup was encrypted with another passphrase or to another recipient',
    );
    const bytes = await readFile(file);
    const keys = await readFile(keyFileIn(fixture.path('source')), 'utf8');
    for (const secret of ['seller', 'rampart-backup', ...Object.values(JSON.parse(keys))])
      expect(bytes.includes(String(secret))).toBe(false);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});

describe('the origin of a backup', () => {
  const NOTHING = { confirm: () => Promise.reject(new Error('nobody is asked')) };

  /** The backup with another text, encrypted to the same recipient, as anybody can who has the text. */
  async function rewritten(change: (text: string) => string): Promise<string> {
    const decrypter = new Decrypter();
    decrypter.addIdentity(fixture.identity);
    const text = gunzipSync(await decrypter.decrypt(await readFile(file))).toString('latin1');
    const encrypter = new Encrypter();
    encrypter.addRecipient(fixture.recipient);
    return changed(Buffer.from(await encrypter.encrypt(gzipSync(Buffer.from(change(text), 'latin1')))));
  }

  const unsigned = (text: string): string =>
    text
      .replace('rampart-backup 2', 'rampart-backup 1')
      .replace(/,"signer":"[^"]+"/, '')
      .replace(/signature .*\n$/, '');

  /** Expects that the restore is refused with this message, and that neither the database nor the data folder has changed. */
  async function expectRefusal(path: string, accept: AcceptedSigners, message: string): Promise<void> {
    const { env, query } = await emptyInstallation();
    await expect(fixture.restore(env, path, fixture.identity, accept)).rejects.toThrow(message);
    expect(await query(`SELECT count(*)::integer AS tables FROM pg_class WHERE relname = 'users'`)).toEqual([
      { tables: 0 },
    ]);
    await expect(stat(keyFileIn(env.dataDir))).rejects.toThrow('ENOENT');
  }

  it('security row 66: a backup is in the log of changes, with who made it, its size, its recipients and its signer', async () => {
    const env = fixture.env('source', urlOf(source));
    const backup = await fixture.backUp(env, 'logged.age');
    const { size } = await stat(backup.file);
    const [entry] = await source.query(
      `SELECT actor, actor_id, address, target, difference FROM audit_entries WHERE action = 'backup.create'
       ORDER BY id DESC LIMIT 1`,
    );
    expect(entry).toEqual({
      actor: 'local',
      actor_id: null,
      address: 'local',
      target: 'backup',
      difference: {
        file: { after: backup.file },
        bytes: { after: size },
        rows: { after: backup.header.tables.reduce((sum, { rows }) => sum + rows, 0) },
        encrypted_to: { after: [fixture.recipient] },
        signed_by: { after: backup.fingerprint },
        account: { after: userInfo().username },
      },
    });
  });

  it('security row 66: a backup that cannot be logged has no file', async () => {
    const database = await createMigratedDatabase();
    const env = fixture.env('unlogged', urlOf(database));
    await loadSharedKeys(database, env, () => undefined);
    await database.query(`ALTER TABLE audit_entries ADD CONSTRAINT none CHECK (action <> 'backup.create') NOT VALID`);
    await expect(fixture.backUp(env, 'unlogged.age')).rejects.toThrow('violates check constraint');
    expect((await readdir(fixture.folder)).filter((name) => name.startsWith('unlogged.age'))).toEqual([]);
  });

  it('security row 67: a backup of another installation is restored only by its fingerprint, which the error shows', async () => {
    const { fingerprint } = await fixture.backUp(fixture.env('source', urlOf(source)), 'signed.age');
    expect(fingerprint).toMatch(/^([\da-f]{4}-){7}[\da-f]{4}$/);
    const path = fixture.path('signed.age');
    await expectRefusal(
      path,
      {},
      `The backup was signed by an installation whose keys are not here: ${fingerprint}. Compare that with what rampart backup ` +
        `has shown when it was made, or with the log of changes, and restore it with --accept-fingerprint ${fingerprint}`,
    );
    const other = fingerprint.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    await expectRefusal(
      path,
      { fingerprint: other },
      `The backup was signed by another installation: ${fingerprint}, not ${other}`,
    );
    await expectRefusal(path, { confirm: async () => false }, 'The fingerprint was not confirmed: nothing was changed');

    const asked: string[] = [];
    const confirmed = await emptyInstallation();
    await fixture.restore(confirmed.env, path, fixture.identity, {
      confirm: async (shown) => asked.push(shown) > 0,
    });
    expect(asked).toEqual([fingerprint]);
    const given = await emptyInstallation();
    const typed = fingerprint.toUpperCase().replaceAll('-', ' ');
    await fixture.restore(given.env, path, fixture.identity, { ...NOTHING, fingerprint: typed });
    expect(
      await given.query(`SELECT difference -> 'signed_by' AS by FROM audit_entries WHERE action = 'backup.restore'`),
    ).toEqual([{ by: { after: fingerprint } }]);
  });

  it('security row 67: a backup of the own installation asks nobody, also after another at-rest key', async () => {
    const { atRest } = JSON.parse(await readFile(keyFileIn(fixture.path('source')), 'utf8'));
    const own = installation(await createEmptyDatabase(), { RAMPART_AT_REST_KEY: atRest });
    await fixture.restore(own.env, file, fixture.identity, NOTHING);
    const previous = { RAMPART_AT_REST_KEY: randomBytes(32).toString('base64'), RAMPART_AT_REST_KEY_PREVIOUS: atRest };
    const rotated = installation(await createEmptyDatabase(), previous);
    await fixture.restore(rotated.env, file, fixture.identity, NOTHING);
  });

  it('security row 67: a backup that was changed by somebody who can read it is refused before anything changes', async () => {
    const signature = 'The signature of the backup is wrong';
    const accept = { confirm: () => Promise.resolve(true) };
    await expectRefusal(await rewritten((text) => text.replace('seller', 'sEller')), accept, signature);
    await expectRefusal(await rewritten((text) => text.replace(/"createdAt":"2/, '"createdAt":"3')), accept, signature);
    const foreign = signerOf(signingKey(randomBytes(32)));
    await expectRefusal(
      await rewritten((text) => text.replace(/"signer":"[^"]+"/, `"signer":"${foreign}"`)),
      accept,
      signature,
    );
    await expectRefusal(
      await rewritten((text) => text.replace(/"signer":"[^"]+"/, `"signer":"${foreign}"`)),
      {},
      `whose keys are not here: ${fingerprintOf(foreign)}`,
    );
    await expectRefusal(await rewritten((text) => text.replace(/signature .*\n$/, '')), accept, 'its end is missing');
  });

  it('security row 67: a backup without a signature is restored only where the operator says so', async () => {
    const path = await rewritten(unsigned);
    await expectRefusal(
      path,
      { confirm: () => Promise.resolve(true) },
      'The backup is not signed, so nothing shows which installation made it: restore it with --accept-unsigned if you know that it is yours',
    );
    const { env, query } = await emptyInstallation();
    await fixture.restore(env, path, fixture.identity, { unsigned: true });
    expect(await query(`SELECT count(*)::integer AS n FROM admins WHERE username = 'seller'`)).toEqual([{ n: 1 }]);
  });
});

describe('a damaged backup', () => {
  it('is refused wherever a byte was changed', async () => {
    const bytes = await readFile(file);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const other = Buffer.from(bytes);
        other[at] = (other[at] ?? 0) ^ change;
        await expect(verify(await changed(other))).rejects.toThrow(BackupError);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused wherever it was cut, and when something was appended', async () => {
    const bytes = await readFile(file);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        await expect(verify(await changed(bytes.subarray(0, length)))).rejects.toThrow(BackupError);
      }),
    );
    await expect(verify(await changed(Buffer.concat([bytes, Buffer.of(0)])))).rejects.toThrow(BackupError);
  });

  it('changes nothing: neither the database nor the data folder', async () => {
    const { env, contents } = await emptyInstallation();
    const bytes = await readFile(file);
    await expect(fixture.restore(env, await changed(bytes.subarray(0, bytes.length - 1)))).rejects.toThrow(
      'The backup is damaged or cut off, or is no file of age',
    );
    expect((await contents()).rows).toEqual({});
    await expect(readdir(env.dataDir)).rejects.toThrow('ENOENT');
  });
});

describe(checkVersion.name, () => {
  it('refuses a backup with migrations of a newer version, and names both versions', () => {
    const header = { program: '9.1.0', migrations: ['FirstSchema1764000000000', 'Later1864000000000'] };
    expect(() => checkVersion(header)).toThrow(
      /^The backup was made by version 9\.1\.0, and this version \(\d+\.\d+\.\d+\) does not know its tables \(Later1864000000000\): restore it with the version that made it, or a newer one$/,
    );
  });
});

describe('a restore', () => {
  it('goes into an installation that was only started once, and keeps its keys beside the restored ones', async () => {
    const { env, query } = await migratedInstallation();
    await inspect(env.databaseUrl ?? '', (database) => loadSharedKeys(database, env, () => undefined));
    await query(`INSERT INTO admins (username, password_hash) VALUES ('root', 'none')`);
    // Somebody tried to log in, and did.
    await query(
      `INSERT INTO login_failures (subject, failures, since, ends_at, forgotten_at) VALUES ('root/10.0.0.1', 1, now(), now(), now())`,
    );
    await query(`INSERT INTO admin_sessions (admin_id, kind, hash, token_version, address, authenticated_at, expires_at)
      SELECT id, 'token', '\\x00', 0, '', now(), now() FROM admins`);
    const own = await readFile(keyFileIn(env.dataDir), 'utf8');
    await fixture.restore(env, file);
    expect(await readFile(keyFileIn(env.dataDir), 'utf8')).toBe(
      await readFile(keyFileIn(fixture.path('source')), 'utf8'),
    );
    const kept = (await readdir(env.dataDir)).filter((name) => /^keys\.json\.\d{4}-/.test(name));
    expect(await readFile(join(env.dataDir, kept[0] ?? ''), 'utf8')).toBe(own);
    expect((await stat(keyFileIn(env.dataDir))).mode & 0o777).toBe(0o600);
    expect(await query('SELECT username FROM admins')).toEqual([{ username: 'seller' }]);
  });

  it('refuses an installation with users, names what is in it, and changes nothing', async () => {
    const { env, contents, query } = await migratedInstallation();
    await query(`INSERT INTO users (username) VALUES ('anna'), ('berta')`);
    const standing = await contents();
    await expect(fixture.restore(env, file)).rejects.toThrow(
      'The installation is not empty (2 user_searches, 2 users), and a backup never overwrites one. ' +
        'Use an empty database (DATABASE_URL), or another data folder (RAMPART_DATA_DIR)',
    );
    expect(await contents()).toEqual(standing);
    await expect(readdir(env.dataDir)).rejects.toThrow('ENOENT');
  });

  it('refuses a database with tables of another program', async () => {
    const { env, query } = await emptyInstallation();
    await query('CREATE TABLE articles (id integer)');
    await expect(fixture.restore(env, file)).rejects.toThrow(
      'The database has tables of another program (articles): use an empty one',
    );
  });

  it('refuses a database on which the service runs, and names its sessions', async () => {
    const { env } = await migratedInstallation();
    await inspect(env.databaseUrl ?? '', async () => {
      await expect(fixture.restore(env, file)).rejects.toThrow(
        /^Rampart runs on this database \(sessions rampart-reads, rampart-writes\): stop every replica before you restore a backup$/,
      );
    });
  });

  it('refuses the embedded database of a running service, which a backup is made of beside it', async () => {
    const management = await TestManagement.start({ DATABASE_URL: '' });
    try {
      const env = fixture.env(management.folder);
      await management.request('POST', '/api/group', { name: 'first', inbound_tags: ['Shadowsocks TCP'] });
      const { header, file: own } = await fixture.backUp(env, 'running.age');
      expect(header.tables).toContainEqual(expect.objectContaining({ name: 'groups', rows: 1 }));
      await expect(fixture.restore(env, own)).rejects.toThrow(
        /is in use by another Rampart management \(process \d+\)\. Stop that one first/,
      );
    } finally {
      await management.close();
    }
  });

  it('rolls everything back when it fails at its end, and can be repeated', async () => {
    const { env, contents } = await emptyInstallation();
    // A folder in place of the key file: the keys cannot be written, when everything else is done.
    await mkdir(keyFileIn(env.dataDir), { recursive: true });
    await expect(fixture.restore(env, file)).rejects.toThrow('keys.json');
    expect((await contents()).rows).toEqual({});
    await rmdir(keyFileIn(env.dataDir));
    await fixture.restore(env, file);
    expect((await contents()).rows['users']).toEqual(before.rows['users']);
  });

  it('compares keys of the settings with those of the backup, and names the ones that differ', async () => {
    const url = await createEmptyDatabase();
    const { contents } = installation(url);
    const own = JSON.parse(await readFile(keyFileIn(fixture.path('source')), 'utf8'));
    const settings = { RAMPART_JWT_KEY: own.jwt, RAMPART_AT_REST_KEY: randomBytes(32).toString('base64') };
    const other = fixture.env('given', url, settings);
    await expect(fixture.restore(other, file)).rejects.toThrow(
      `The backup has other keys than RAMPART_AT_REST_KEY: set there what the backed up installation had, or remove the settings, ` +
        `and the keys of the backup are written to ${keyFileIn(other.dataDir)}`,
    );
    expect((await contents()).rows).toEqual({});
    fixture.lines.length = 0;
    const given = installation(url, { RAMPART_JWT_KEY: own.jwt });
    await fixture.restore(given.env, file);
    expect(fixture.lines).toEqual([
      'RAMPART_JWT_KEY is set and fits the backup, so it is used',
      `The keys (subscription, atRest) are in ${keyFileIn(given.env.dataDir)}`,
    ]);
    expect(JSON.parse(await readFile(keyFileIn(given.env.dataDir), 'utf8'))).toEqual({
      subscription: own.subscription,
      atRest: own.atRest,
    });
  });
});
