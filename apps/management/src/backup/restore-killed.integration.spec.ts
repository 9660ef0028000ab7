import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { programFile, until } from '@rampart/testing';
import { createDataSource } from '../app/data-source.js';
import { runRampart } from '../cli/testing/run-rampart.js';
import { runningServerUrl } from '../database/embedded/running-server.js';
import { keyFileIn } from '../keys/keys.js';
import { TestManagement } from '../testing/test-management.js';
import { BackupFixture } from './testing/backup-fixture.js';

jest.setTimeout(120_000);

const RAMPART = programFile('management', 'rampart');
const USERS = 20_000;
/** An embedded database takes so long to start on a busy machine. */
const WITHIN_MS = 60_000;
const PREVIOUS_KEY = Buffer.alloc(32, 7).toString('base64');

let fixture: BackupFixture;
let backup: string;
let fingerprint: string;
let identity: string;
let link: string;
const started: { restore?: ChildProcess; service?: TestManagement | undefined } = {};

/** An installation with many users, its backup, and the link of one of the users. */
beforeAll(async () => {
  fixture = await BackupFixture.create();
  identity = fixture.path('identity');
  await writeFile(identity, fixture.identity);
  const source = await TestManagement.start({ DATABASE_URL: '', RAMPART_JWT_KEY_PREVIOUS: PREVIOUS_KEY });
  const { body } = await source.call('POST', '/api/user', { username: 'anna' });
  link = new URL((body as { subscription_url: string }).subscription_url).pathname;
  await source.database.query(
    `INSERT INTO users (username, note) SELECT 'user' || n, md5(n::text) FROM generate_series(2, ${USERS}) n`,
  );
  ({ file: backup, fingerprint } = await fixture.backUp(
    fixture.env(source.folder, undefined, { RAMPART_JWT_KEY_PREVIOUS: PREVIOUS_KEY }),
    'whole.age',
  ));
  await source.close();
});

afterEach(async () => {
  started.restore?.kill('SIGKILL');
  await started.service?.close();
  started.service = undefined;
});
afterAll(() => fixture.remove());

const restoring = (file: string) => ['restore', file, '--identity', identity, '--accept-fingerprint', fingerprint];

/** Begins a restore in a process of its own. */
function beginRestore(dataDir: string, file: string): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', RAMPART_DATA_DIR: dataDir };
  started.restore = spawn(process.execPath, [RAMPART, ...restoring(file)], { env, stdio: 'ignore' });
  return started.restore;
}

async function killed(restore: ChildProcess): Promise<void> {
  expect(restore.exitCode).toBe(null);
  const exited = once(restore, 'exit');
  restore.kill('SIGKILL');
  await exited;
}

function makePipe(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}

async function hasOpen({ pid }: ChildProcess, path: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')));
  return targets.includes(path);
}

/** Whether the database that the restore has started has taken rows of the backup. */
async function hasLoadedRows(dataDir: string): Promise<boolean> {
  const url = await runningServerUrl(join(dataDir, 'postgres')).catch(() => undefined);
  if (url === undefined) return false;
  const database = await createDataSource(url).initialize();
  try {
    const [row] = await database.query<{ rows: number | null }[]>(
      'SELECT sum(tuples_processed)::integer AS rows FROM pg_stat_progress_copy',
    );
    return (row?.rows ?? 0) > USERS / 10;
  } finally {
    await database.destroy();
  }
}

async function startService(dataDir: string): Promise<TestManagement> {
  started.service = await TestManagement.start({ RAMPART_DATA_DIR: dataDir });
  return started.service;
}

async function stopService(): Promise<void> {
  await started.service?.close();
  started.service = undefined;
}

const usersOf = async (service: TestManagement): Promise<number> =>
  ((await service.call('GET', '/api/users?limit=1')).body as { total: number }).total;

/** What `rampart restore` says of the whole backup, and that afterwards all of it is served. */
async function expectRestorable(dataDir: string): Promise<void> {
  const { code, stdout, stderr } = await runRampart(restoring(backup), { RAMPART_DATA_DIR: dataDir });
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(`^Restored the backup:\\nmade +\\S+\\nby version +\\S+\\nsigned by +\\S+\\nusers +${USERS}\\n`),
    ),
    stderr: expect.stringContaining(keyFileIn(dataDir)),
  });
  const service = await startService(dataDir);
  expect(await usersOf(service)).toBe(USERS);
  expect((await service.call('GET', link)).status).toBe(200);
}

describe('a restore that was killed', () => {
  it('while it loaded rows leaves an installation that serves nothing of the backup and takes it the next time', async () => {
    const dataDir = fixture.path('rows');
    const bytes = await readFile(backup);
    const pipe = makePipe(fixture.path('half.age'));
    const restore = beginRestore(dataDir, pipe);
    const first = await open(pipe, 'w');
    await first.writeFile(bytes);
    await first.close();
    await until(async (saw) => !saw(await hasOpen(restore, pipe)));
    // It reads the file for the second time, and gets no more than the first half of it.
    const second = await open(pipe, 'w');
    await second.writeFile(bytes.subarray(0, bytes.length / 2));
    await until(() => hasLoadedRows(dataDir), WITHIN_MS);
    await killed(restore);
    await second.close();

    const service = await startService(dataDir);
    expect(await usersOf(service)).toBe(0);
    expect((await service.call('GET', link)).status).toBe(404);
    await stopService();
    await expectRestorable(dataDir);
  });

  it('between its keys and its commit leaves an installation that does not start, and the next restore completes it', async () => {
    const dataDir = fixture.path('keys');
    const service = await startService(dataDir);
    const own = await readFile(keyFileIn(dataDir), 'utf8');
    expect(await usersOf(service)).toBe(0);
    await stopService();
    // The last thing that it writes before the commit is a file that nobody reads.
    mkdirSync(join(dataDir, 'restored-keys'));
    makePipe(join(dataDir, 'restored-keys/RAMPART_JWT_KEY_PREVIOUS'));
    const restore = beginRestore(dataDir, backup);
    await until(async (saw) => saw(await readFile(keyFileIn(dataDir), 'utf8')) !== own, WITHIN_MS);
    await killed(restore);

    await expect(startService(dataDir)).rejects.toThrow(
      /keys\.json has another jwt key .* than the database is used with/,
    );
    await rm(join(dataDir, 'restored-keys/RAMPART_JWT_KEY_PREVIOUS'));
    await expectRestorable(dataDir);
  });
});
