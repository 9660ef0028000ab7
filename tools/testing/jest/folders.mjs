import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const OWN = /^rampart-(\d{1,7})-\w{6}$/;

/** The symbol under which the global object of a test has `foldersOfWorker()` (`src/scratch.ts`). */
export const FOLDERS = Symbol.for('rampart.test.folders');

let folders;

/**
 * The folders for temporary files of this process and of what it starts, which its test files empty one after another:
 * whoever is killed, or fails, leaves something. Those of processes that have ended are removed.
 * @returns `temporary`, that of the system; `own` and `memory`, those of this process there and in memory
 */
export function foldersOfWorker() {
  if (folders !== undefined) return folders;
  const temporary = tmpdir();
  const memory = existsSync(MEMORY) ? makeIn(MEMORY) : undefined;
  folders = { temporary, own: makeIn(temporary), memory };
  process.env.TMPDIR = folders.own;
  process.once('exit', () => {
    for (const folder of [folders.own, folders.memory]) if (folder !== undefined) remove(folder);
  });
  return folders;
}

/** Removes what a test file has left. */
export function emptyFolders() {
  for (const folder of [folders.own, folders.memory])
    if (folder !== undefined) for (const name of readdirSync(folder)) remove(join(folder, name));
}

function makeIn(parent) {
  for (const name of readdirSync(parent)) {
    const [, pid] = OWN.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(parent, name));
  }
  const folder = mkdtempSync(join(parent, `rampart-${process.pid}-`));
  // Programs of other accounts use it too.
  chmodSync(folder, 0o1777);
  return folder;
}

function remove(path) {
  if (hasMount(path)) return;
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Somebody still writes there, or it belongs to another account; the next run removes it.
  }
}

/** Whether a file system is mounted there or below: its files may be those of others. */
function hasMount(path) {
  const mounts = existsSync('/proc/self/mounts') ? readFileSync('/proc/self/mounts', 'utf8') : '';
  return mounts.split('\n').some((line) => `${line.split(' ')[1]}/`.startsWith(`${path}/`));
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
