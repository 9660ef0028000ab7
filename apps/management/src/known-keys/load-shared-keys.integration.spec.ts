import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { readManagementEnv } from '../env/management-env.js';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import { storedKeyId } from './key-ids.js';
import { KnownKey } from './known-key.entity.js';
import { forgetKnownKeys, loadSharedKeys } from './load-shared-keys.js';

const [A, B] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const [IDS_A, IDS_B] = [A, B].map((key) => storedKeyId('subscription', key).slice(0, 8));

let database: DataSource;
let folder: string;
let lines: string[];
beforeEach(async () => {
  database = await createMigratedDatabase();
  folder = await mkdtemp(join(tmpdir(), 'rampart-keys-'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts a replica with a data folder of its own. */
const start = (dataDir: string, settings: Record<string, string> = {}) =>
  loadSharedKeys(database, readManagementEnv({ RAMPART_DATA_DIR: join(folder, dataDir), ...settings }), (line) =>
    lines.push(line),
  );

/** The settings of one kind of key. */
const keys = (current: Buffer, previous?: Buffer, name = 'SUBSCRIPTION') => ({
  [`RAMPART_${name}_KEY`]: current.toString('base64'),
  ...(previous && { [`RAMPART_${name}_KEY_PREVIOUS`]: previous.toString('base64') }),
});

const fileOf = (dataDir: string) => join(folder, dataDir, 'keys.json');

describe(loadSharedKeys.name, () => {
  it('creates keys for an unused database, and finds them again', async () => {
    const made = await start('one');
    expect(lines).toEqual([`Created keys in ${fileOf('one')}: jwt, subscription, atRest`]);
    expect(await start('one')).toEqual(made);
    const stored = JSON.stringify(await database.manager.find(KnownKey));
    for (const key of [made.jwt, made.subscription, made.atRest])
      for (const form of ['hex', 'base64'] as const) expect(stored).not.toContain(key.toString(form).slice(0, 8));
  });

  it('uses the key file of an earlier installation for an unused database', async () => {
    const made = await start('one');
    database = await createMigratedDatabase();
    expect(await start('one')).toEqual(made);
  });

  it('names a lost key file and what would be lost, and creates no new one', async () => {
    await start('one');
    await rm(fileOf('one'));
    await expect(start('one')).rejects.toThrow(
      `The database is used with keys that this program does not have: ${fileOf('one')} is missing, or lacks ` +
        'jwt, subscription, atRest. Restore it from a backup, copy it from another replica, or give the keys in ' +
        'RAMPART_JWT_KEY, RAMPART_SUBSCRIPTION_KEY, RAMPART_AT_REST_KEY. No new ones are made, because with them all ' +
        'admins have to log in again, every subscription link that was given out ends, the API key of every node and ' +
        'the configuration of every core have to be entered again. To go on without the lost keys, run: rampart keys forget',
    );
    await expect(readFile(fileOf('one'))).rejects.toThrow('ENOENT');
  });

  it('refuses a second replica without the keys of the first', async () => {
    await start('one');
    await expect(start('two')).rejects.toThrow(`${fileOf('two')} is missing, or lacks jwt, subscription, atRest.`);
  });

  it('lets only one of two replicas that start together create keys', async () => {
    const both = await Promise.allSettled([start('one'), start('two')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('refuses a key file without one of its keys, and leaves the others alone', async () => {
    const { jwt, atRest } = await start('one');
    const left = { jwt: jwt.toString('base64'), atRest: atRest.toString('base64') };
    await writeFile(fileOf('one'), JSON.stringify(left));
    await expect(start('one')).rejects.toThrow(/is missing, or lacks subscription\. .* RAMPART_SUBSCRIPTION_KEY\. /);
    expect(JSON.parse(await readFile(fileOf('one'), 'utf8'))).toEqual(left);
  });

  it('refuses a lost key file of a database whose users and nodes are older than the ids', async () => {
    await database.query(`INSERT INTO users (username) VALUES ('anna')`);
    await expect(start('one')).rejects.toThrow(/ lacks subscription\. /);
    await database.query('DELETE FROM users');
    await start('one');
  });

  it('refuses all unknown keys at once, and says which settings to share', async () => {
    await start('one', { ...keys(A), ...keys(A, undefined, 'JWT') });
    await rm(fileOf('one'));
    const refused = start('one', { ...keys(B), ...keys(B, undefined, 'JWT'), ...keys(A, undefined, 'AT_REST') });
    const error = String(await refused.catch((thrown: unknown) => thrown));
    expect(error.split('\n')).toHaveLength(3);
    expect(error).toContain(
      `RAMPART_SUBSCRIPTION_KEY has another subscription key (id ${IDS_B}) than the database is used with (id ${IDS_A}). ` +
        'Share one: give every replica the same RAMPART_SUBSCRIPTION_KEY, or copies of one keys.json. To replace the old ' +
        'one, name it in RAMPART_SUBSCRIPTION_KEY_PREVIOUS; without it every subscription link that was given out ends. ' +
        'To go on without the lost keys, run: rampart keys forget',
    );
    expect(error).not.toContain(A.toString('base64'));
    expect(error).not.toContain(B.toString('base64'));
  });

  it('lets several replicas rotate a key one by one, and then refuses the old one', async () => {
    await start('one', keys(A));
    await start('one', keys(A, B));
    await start('one', keys(B, A));
    await start('one', keys(A, B));
    expect(lines.slice(1)).toEqual([]);
    await start('one', keys(A));
    expect(lines.slice(1)).toEqual([
      'RAMPART_SUBSCRIPTION_KEY has been replaced: give this replica the new key, and the current one as RAMPART_SUBSCRIPTION_KEY_PREVIOUS',
    ]);
    await start('one', keys(B, A));
    await start('one', keys(B));
    await expect(start('one', keys(A))).rejects.toThrow(
      `RAMPART_SUBSCRIPTION_KEY has another subscription key (id ${IDS_A}) than the database is used with (id ${IDS_B}).`,
    );
  });

  it('changes nothing when it refuses', async () => {
    await start('one', keys(A));
    const before = await database.manager.find(KnownKey);
    await expect(start('one', keys(B))).rejects.toThrow('RAMPART_SUBSCRIPTION_KEY');
    expect(await database.manager.find(KnownKey)).toEqual(before);
  });
});

describe(forgetKnownKeys.name, () => {
  it('lets the next start use other keys or create new ones, once, and is logged', async () => {
    const before = await start('one');
    await database.query(`INSERT INTO users (username) VALUES ('anna')`);
    await rm(fileOf('one'));
    await database.transaction(forgetKnownKeys);
    expect(await database.manager.findBy(AuditEntry, { action: 'keys.forget' })).toMatchObject([
      { actor: 'system', target: 'keys', difference: {} },
    ]);
    const after = await start('one');
    expect(after.subscription).not.toEqual(before.subscription);
    await rm(fileOf('one'));
    await expect(start('one')).rejects.toThrow('No new ones are made');
  });
});
