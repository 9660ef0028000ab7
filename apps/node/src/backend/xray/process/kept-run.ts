import { randomUUID } from 'node:crypto';
import { DirectoryLock } from '../../../storage/directory-lock.js';
import { type EngineRecord, writeEngineRecord } from './engine-record.js';

/**
 * A run of an engine that may outlive the node: its directory, which no other node can lock at the same time, and its
 * record.
 */
export class KeptRun {
  private constructor(
    readonly directory: string,
    /** Id under which its traffic is counted. */
    readonly id: string,
    private readonly lock: DirectoryLock,
    private record?: EngineRecord,
  ) {}

  static async begin(directory: string): Promise<KeptRun> {
    return new KeptRun(directory, randomUUID(), await DirectoryLock.acquire(directory));
  }

  /** @throws DirectoryInUse when another node directs the engine */
  static async takeOver(directory: string, record: EngineRecord): Promise<KeptRun> {
    return new KeptRun(directory, record.run, await DirectoryLock.acquire(directory), record);
  }

  /** Writes the record. From then on another node can take the run over. Fails when the disk does. */
  async writeRecord(record: Omit<EngineRecord, 'run'>): Promise<void> {
    this.record = { ...record, run: this.id };
    await writeEngineRecord(this.directory, this.record);
  }

  /** Records that the engine only has its connections left. Errors are ignored: the next node finds out by itself. */
  async markDraining(now: number): Promise<void> {
    if (this.record === undefined || this.record.drainingSince !== undefined) return;
    await this.writeRecord({ ...this.record, drainingSince: now }).catch(() => undefined);
  }

  /** Lets another node take the run over. */
  async release(): Promise<void> {
    await this.lock.release();
  }
}
