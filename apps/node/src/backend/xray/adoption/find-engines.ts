import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@rampart/program';
import { NodeError } from '../../../errors/node-error.js';
import { DirectoryInUse } from '../../../storage/directory-lock.js';
import { EngineApi } from '../api/engine-api.js';
import type { ApiChannel } from '../config/plan/render-config.js';
import { type EngineRecord, readEngineRecord } from '../process/engine-record.js';
import { KeptProcess } from '../process/kept-process.js';
import { KeptRun } from '../process/kept-run.js';
import { isEngineOfRun } from '../process/orphaned-engines.js';
import { isAlive, isForeign } from '../process/process-identity.js';
import { engineDirectory, leftRunDirectories } from '../process/run-directory.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** An engine that an earlier node has left, and that no node directs now. */
export interface LeftEngine {
  readonly record: EngineRecord;
  readonly process: KeptProcess;
  readonly kept: KeptRun;
  readonly channel: ApiChannel;
  /** Tags of the inbounds that it has now. */
  readonly liveTags: ReadonlySet<string>;
}

export interface SearchOptions {
  readonly dataDir: string;
  readonly rights: EngineRights;
  /** Forwards lines of the engine's output that are not about this channel. */
  lineFilter(channel: ApiChannel): (line: string) => void;
  note(text: string): void;
}

const MAX_LINES = 20;

/**
 * Finds engines of this data directory that a dead node has left, by their records. An engine counts only when its
 * process is the one of the record and its API has the name of the record. START_FAILED when another node directs one.
 */
export async function findLeftEngines(options: SearchOptions): Promise<LeftEngine[]> {
  const found: LeftEngine[] = [];
  try {
    for (const directory of await leftRunDirectories(options.dataDir, options.rights)) {
      const engine = await inspectDirectory(directory, options);
      if (engine !== undefined) found.push(engine);
    }
  } catch (error) {
    for (const engine of found) await releaseEngine(engine);
    throw error;
  }
  return found;
}

/** Leaves an engine to another node. */
export async function releaseEngine({ process, kept }: LeftEngine): Promise<void> {
  await process.leave();
  await kept.release();
}

async function inspectDirectory(directory: string, options: SearchOptions): Promise<LeftEngine | undefined> {
  const { note } = options;
  // The engine's account may write in directories that belong to it.
  const found = await lstat(directory).catch(() => undefined);
  if (found?.uid !== process.getuid?.()) return undefined;
  const record = await readEngineRecord(directory).catch((error: unknown) => {
    note(`the record of an engine is damaged, so the engine is not taken over: ${messageOf(error)}`);
    return undefined;
  });
  if (record === undefined) return undefined;
  const refuse = (why: string) =>
    note(`the engine of the previous node (process ${record.identity.pid}) is not taken over: ${why}`);
  let kept: KeptRun;
  try {
    kept = await KeptRun.takeOver(directory, record);
  } catch (error) {
    if (error instanceof DirectoryInUse)
      throw new NodeError('START_FAILED', `another node runs an engine for ${options.dataDir}`);
    refuse(`its directory cannot be locked (${messageOf(error)})`);
    return undefined;
  }
  const engine = await takeOver(directory, record, kept, options);
  if (typeof engine !== 'string') return engine;
  refuse(engine);
  await kept.release();
  return undefined;
}

/** Returns why the engine cannot be taken over, if so. */
async function takeOver(
  directory: string,
  record: EngineRecord,
  kept: KeptRun,
  { rights, lineFilter }: SearchOptions,
): Promise<LeftEngine | string> {
  const { identity, api, run } = record;
  if (!isForeign(identity)) {
    if (!isAlive(identity)) return `it has ended${await lastWords(directory)}`;
    if (!(await isEngineOfRun(identity.pid, run, rights))) return 'another program has its process id';
  }
  const channel = { ...api, socketPath: join(engineDirectory(directory), 'api.sock') };
  let process: KeptProcess;
  try {
    process = await KeptProcess.attach(directory, identity, lineFilter(channel));
  } catch (error) {
    return `it has no keeper (${messageOf(error)})`;
  }
  const engineApi = new EngineApi(channel.socketPath);
  try {
    const tags = new Set(await engineApi.inboundTags());
    if (tags.delete(api.inboundTag)) return { record, process, kept, channel, liveTags: tags };
    await process.leave();
    return 'its API is that of another engine';
  } catch (error) {
    process.kill('SIGKILL');
    await process.exited;
    return `its API does not answer (${messageOf(error)}); it is ended`;
  } finally {
    engineApi.close();
  }
}

/** What an engine wrote last while no node read it: from the words of a crash on, or the end. */
async function lastWords(directory: string): Promise<string> {
  const read = (name: string) => readFile(join(directory, name), 'utf8').catch(() => '');
  const output = (await read('last-output')) + (await read('last-errors'));
  const lines = output.trimEnd().split('\n');
  const crash = lines.findIndex((line) => /^(panic|fatal error|SIG[A-Z]+): /.test(line));
  const shown = crash < 0 ? lines.slice(-MAX_LINES) : lines.slice(crash, crash + MAX_LINES);
  return output === '' ? '' : `; it wrote last:\n${shown.join('\n')}`;
}
