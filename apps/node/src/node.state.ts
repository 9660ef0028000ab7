import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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
}

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
      this.lock = await DirectoryLock.acquire(this.directory);
    } catch (error) {
      if (error instanceof DirectoryInUse) throw error;
      this.unlocked = describeDiskProblem('the lock of the data directory', error);
      onWarning(this.unlocked);
    }
    await traffic.open({ path: join(this.directory, 'traffic'), onWarning });
  }

  /** Resolves when everything up to the last reading is on the disk. */
  async close(): Promise<void> {
    await this.options.meter.close();
    await this.options.traffic.close();
    await this.session.close();
    await this.lock?.release();
  }

  /** Problems that keep the state from the disk, with advice for operators. */
  get problems(): string[] {
    return [this.unlocked, this.options.traffic.problem].filter((problem) => problem !== undefined);
  }
}
