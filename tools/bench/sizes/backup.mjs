// `rampart backup` as an operator runs it beside the running management.
import { execFile } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const RAMPART = resolve(import.meta.dirname, '../../../apps/management/dist/bundle/rampart.cjs');

/** @returns the seconds that the command takes, its start included, and the megabytes of the file */
export async function measureBackup(dataDir) {
  const [file, passphrase] = ['sizes.age', 'passphrase'].map((name) => join(dataDir, name));
  await writeFile(passphrase, 'a passphrase for the benchmark\n', { mode: 0o600 });
  const began = performance.now();
  await promisify(execFile)(process.execPath, [RAMPART, 'backup', file, '--passphrase-file', passphrase], {
    env: { PATH: process.env.PATH, RAMPART_DATA_DIR: dataDir },
  });
  return { seconds: (performance.now() - began) / 1000, megabytes: (await stat(file)).size / 1e6 };
}
