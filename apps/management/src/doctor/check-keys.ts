import { stat } from 'node:fs/promises';
import { type Check, ok, warning, wrong } from '@rampart/program';
import type { EntityManager } from 'typeorm';
import type { ManagementEnv } from '../env/management-env.js';
import { keyFileIn } from '../keys/keys.js';
import { inspectKeys } from '../known-keys/load-shared-keys.js';

const NAME = 'keys';

/** Checks the keys of this replica against those that the database is used with, and who may read their file. */
export async function checkKeys(manager: EntityManager, env: ManagementEnv): Promise<Check[]> {
  const { problems, notes } = await inspectKeys(manager, env);
  const checks = [
    ...problems.map(({ problem, remedy }) => wrong(NAME, problem, remedy ?? 'Restore the file from a backup.')),
    ...notes.map((note) => warning(NAME, ...halves(note))),
    ...(await checkFile(keyFileIn(env.dataDir))),
  ];
  return checks.length === 0 ? [ok(NAME, 'are those that the database is used with')] : checks;
}

async function checkFile(file: string): Promise<Check[]> {
  const mode = (await stat(file).catch(() => undefined))?.mode ?? 0;
  if ((mode & 0o077) === 0) return [];
  return [warning(NAME, `${file} can be read by other accounts`, `Run: chmod 600 ${file}`)];
}

/** A note says what is, then a colon, then what to do. */
function halves(note: string): [seen: string, advice: string] {
  const at = note.indexOf(': ');
  const advice = note.slice(at + 2);
  return [note.slice(0, at), `${advice[0]?.toUpperCase()}${advice.slice(1)}.`];
}
