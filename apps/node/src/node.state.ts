import { chmod, mkdir, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { ServedUsers } from './backend/backend.js';
import { FileSessionStore } from './session/file-session-store.js';
import { DirectoryInUse, DirectoryLock } from './storage/directory-lock.js';
import { describeDiskProblem } from './storage/disk-problem.js';
import type { TrafficMeter } from './traffic/traffic-meter.js';
import type { TrafficStore } from './traffic/traffic-store.js';

export interface NodeStateOptions {
  readonly dataDir: string;
  readonly traffic: TrafficStore;
  readonly meter: TrafficMeter;
  readonly served: () => ServedUsers;
  readonly onWarning: (text: string) => void;
  /** Whether to ask a node that uses the directory for it. */
  readonly takesOver: boolean;
  /** Called when another node asks for the directory; returns whether this one will end and leave it. */
  readonly onTakeOver: () => boolean;
}

/** Time for the other node to end after it has agreed to. */
const MAX_TAKE_OVER_MS = 30_000;
const POLL_MS = 50;

/**
 * The state that a node keeps between runs of its process: `state/` in its data directory, for one process at a time.
 */
export class NodeState {
  readonly session: FileSessionStore;
  private readonly directory: string;
  private lock?: DirectoryLock;
  private unlocked?: string;

  constructor(private readonly options: NodeStateOptions) {
    this.directory = join(resolve(options.dataDir), 'state');
    const { onWarning, served } = options;
    this.session = new FileSessionStore({ path: join(this.directory, 'session'), onWarning }, served);
  }

  /** Opens the state before anything runs. A disk that fails is a warning. @throws DirectoryInUse */
  async open(): Promise<void> {
    const { traffic, onWarning } = this.options;
    try {
      await mkdir(this.directory, { recursive: true, mode: 0o700 });
      await chmod(this.directory, 0o700);
      this.lock = await this.acquireLock();
    } catch (error) {
      if (error instanceof DirectoryInUse) throw error;
      this.unlocked = describeDiskProblem('the lock of the data directory', error);
      onWarning(this.unlocked);
    }
    await traffic.open({ path: join(this.directory, 'traffic'), onWarning });
  }

  /** Locks the directory, after the node that uses it has ended, if it was asked to and agrees. */
  private async acquireLock(): Promise<DirectoryLock> {
    const { onTakeOver, takesOver } = this.options;
    let deadline: number | undefined;
    for (;;) {
      try {
        return await DirectoryLock.acquire(this.directory, onTakeOver);
      } catch (error) {
        if (!(error instanceof DirectoryInUse) || !takesOver) throw error;
        if (deadline === undefined) {
          // An owner that has ended meanwhile does not answer; one that refuses still holds the lock.
          if (!(await DirectoryLock.request(this.directory)))
            return await DirectoryLock.acquire(this.directory, onTakeOver);
          deadline = performance.now() + MAX_TAKE_OVER_MS;
        } else if (performance.now() > deadline) throw error;
        await setTimeout(POLL_MS);
      }
    }
  }

  /** Resolves when everything up to the last reading is on the disk. */
  async close(): Promise<void> {
    await this.options.meter.close();
    await this.options.traffic.close();
    await this.session.close();
    await this.lock?.release();
  }

  /** Why the state cannot be written; undefined when it can. Everybody may read it, so it has no path. */
  async diskProblem(): Promise<string | undefined> {
    if (this.problems.length > 0 || this.session.problem !== undefined)
      return 'the disk has not taken what must be stored: the log says why';
    const { bavail, files, ffree } = await statfs(this.options.dataDir);
    return bavail === 0 || (files > 0 && ffree === 0) ? 'the disk with the data folder is full' : undefined;
  }

  /** Problems that keep the state from the disk, with advice for operators. */
  get problems(): string[] {
    return [this.unlocked, this.options.traffic.problem].filter((problem) => problem !== undefined);
  }
}
