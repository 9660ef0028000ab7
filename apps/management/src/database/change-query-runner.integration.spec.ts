import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import { preparedAtStart, preparedIn, runWithCommit } from './prepared.js';
import { currentRevision, lockRevision, nextRevision } from './revision.js';

const FAILING = { name: 'test_failing', text: 'SELECT 1 / $1::integer' };
const LATER = { name: 'test_later', text: 'SELECT 1' };
const READ = { name: 'test_read', text: 'SELECT 2' };

let database: DataSource;
beforeAll(async () => {
  database = await createMigratedDatabase();
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** What connections for writing send and are answered, in this order. */
function recordStatements(): string[] {
  const events: string[] = [];
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const [statement] = given as [string | { name?: string; text: string }];
    const name = typeof statement === 'string' ? statement : (statement.name ?? statement.text);
    events.push(`> ${name}`);
    const answer = query.apply(this, given);
    const answered = () => events.push(`< ${name}`);
    if (answer instanceof Promise) answer.then(answered, answered);
    return answer as never;
  });
  return events;
}

const marked = async (): Promise<boolean> => {
  const [{ held }] = await database.query(`SELECT exists (SELECT FROM settings WHERE section = 'marked') AS held`);
  return held;
};
const mark = (manager: EntityManager) => manager.query(`INSERT INTO settings (section, value) VALUES ('marked', '{}')`);

describe('a transaction', () => {
  it('sends its locks with its start, and statements without a result with its end', async () => {
    const events = recordStatements();
    await database.transaction(async (manager) => {
      await Promise.all([lockRevision(manager), preparedAtStart(manager)(READ, []), preparedIn(manager)(LATER, [])]);
      await runWithCommit(manager, { name: 'test_last', text: 'SELECT 3' }, []);
    });
    expect(events.filter((event) => event.startsWith('>'))).toEqual([
      '> START TRANSACTION',
      '> lock_revision',
      '> test_read',
      '> test_later',
      '> test_last',
      '> COMMIT',
    ]);
    const before = (one: string, other: string) => events.indexOf(one) < events.indexOf(other);
    expect(before('> test_read', '< START TRANSACTION')).toBe(true);
    expect(before('< START TRANSACTION', '> test_later')).toBe(true);
    expect(before('> COMMIT', '< test_last')).toBe(true);
  });

  it('whose last statement fails changes nothing, and fails with the error of that statement', async () => {
    const revision = await currentRevision(database.manager);
    const failing = database.transaction(async (manager) => {
      await nextRevision(manager);
      await mark(manager);
      await runWithCommit(manager, FAILING, [0]);
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect([await marked(), await currentRevision(database.manager)]).toEqual([false, revision]);
  });

  it('that fails before its end does not run the statements for its end', async () => {
    const events = recordStatements();
    const failing = database.transaction(async (manager) => {
      await runWithCommit(manager, LATER, []);
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(events.filter((event) => event.startsWith('>'))).toEqual(['> START TRANSACTION', '> ROLLBACK']);
  });

  it('of which one of several statements fails is rolled back, and its connection serves the next one', async () => {
    const failing = database.transaction((manager) =>
      Promise.all([lockRevision(manager), preparedAtStart(manager)(FAILING, [0]), mark(manager)]),
    );
    await expect(failing).rejects.toThrow('division by zero');
    expect(await marked()).toBe(false);
    const revision = await currentRevision(database.manager);
    expect(await database.transaction(nextRevision)).toBe(revision + 1n);
  });

  it('a statement outside of a transaction that may wait for the end runs at once', async () => {
    await expect(runWithCommit(database.manager, FAILING, [0])).rejects.toThrow('division by zero');
  });
});
