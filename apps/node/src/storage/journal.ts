import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { SerialQueue } from '../concurrency/serial-queue.js';
import { describeDiskProblem } from './disk-problem.js';
import { encodeFrame } from './frames.js';
import {
  openStateFile,
  removeStateFiles,
  type StateFormat,
  syncDirectoryOf,
  writeAt,
  writeStateFile,
} from './state-file.js';

/** A file is rewritten when it is larger than this and more than twice as large as its snapshot. */
const MIN_COMPACTION_BYTES = 1024 * 1024;
/** How soon a file is rewritten that has records of what must not stay, and how many bytes a second this may write at most. */
const FORGET_MS = 60_000;
const FORGET_BYTES_PER_MS = 16;
/** What a node counts or is told while its disk fails is lost when it is killed before the next attempt. */
const RETRY_MS = 2_000;

export interface JournalOptions extends StateFormat {
  readonly path: string;
  /** The name of the contents in messages for operators. */
  readonly title: string;
  /** Returns the current state as records. They are iterated later and must not reflect changes made meanwhile. */
  readonly snapshot: () => Iterable<Uint8Array>;
  readonly onWarning: (text: string) => void;
  readonly retryMs?: number;
  /** How soon `rewriteSoon` rewrites a small file. */
  readonly forgetMs?: number;
}

/**
 * A state in a file: a snapshot, then a record for each change, in order. After a crash the file holds one of the
 * states that existed, never a mixture. Calls do not throw: when the disk fails, only the owner's memory is up to date,
 * `problem` says so, and writing the whole file is retried until it succeeds. Only one process may use it.
 */
export class Journal {
  /** Undefined while there is no file to which records may be appended. */
  private file?: FileHandle;
  private size = 0;
  /** Size of the file when it was last rewritten. */
  private snapshotSize = 0;
  private pending: Buffer[] = [];
  /** Records appended since the snapshot that is being written; undefined when none is. */
  private recordsSinceSnapshot?: Buffer[];
  private switching = false;
  private round = 0;
  private rewriting: Promise<boolean> = Promise.resolve(true);
  private readonly io = new SerialQueue();
  private readonly retryMs: number;
  private retry?: NodeJS.Timeout;
  private forgetting?: NodeJS.Timeout;
  private closed = false;
  private problemText?: string;

  private constructor(private readonly options: JournalOptions) {
    this.retryMs = options.retryMs ?? RETRY_MS;
  }

  /**
   * Passes every record of the file to `onRecord`, in order. `intact` is false when the file is incomplete or cannot be
   * continued: the last records may be missing.
   */
  static async open(
    options: JournalOptions,
    onRecord: (payload: Uint8Array) => void,
  ): Promise<{ journal: Journal; intact: boolean }> {
    const journal = new Journal(options);
    const { path, title, onWarning } = options;
    try {
      await rm(journal.draftPath, { force: true });
      const opened = await openStateFile(path, options, onRecord, onWarning);
      if (opened === undefined) return { journal, intact: true };
      const { file, size, cut, corrupt } = opened;
      journal.file = file;
      // The size of a snapshot is unknown here and stays 0, so the file is rewritten when it is large.
      journal.size = size;
      if (cut > 0)
        onWarning(`${title}: the last ${cut} bytes of ${path} were damaged; the records before them are used`);
      if (file === undefined) journal.reportFailure(Object.assign(new Error('not writable'), { code: 'EACCES' }));
      return { journal, intact: !corrupt && file !== undefined };
    } catch (error) {
      journal.reportFailure(error);
      return { journal, intact: false };
    }
  }

  /** Why the file is behind the owner's memory, with advice for operators; undefined when it is up to date. */
  get problem(): string | undefined {
    return this.problemText;
  }

  /**
   * Appends records of changes that the owner has made. Resolves with true when they are in the file, with `durable`
   * when they survive a crash of the machine; with false when the disk fails.
   */
  async appendRecords(payloads: readonly Uint8Array[], { durable = false } = {}): Promise<boolean> {
    const framed = payloads.map(encodeFrame);
    for (const bytes of framed) this.recordsSinceSnapshot?.push(bytes);
    if (this.file === undefined && this.recordsSinceSnapshot !== undefined) return this.rewriteOutcome();
    if (this.file === undefined && !this.switching) {
      return this.problemText === undefined && !this.closed ? this.rewrite() : false;
    }
    for (const bytes of framed) this.pending.push(bytes);
    await this.io.run(() => this.flush(durable));
    this.compactIfLarge();
    return this.file !== undefined;
  }

  /** Rewrites the file from a snapshot; earlier records no longer count. */
  rewriteFromSnapshot(): Promise<boolean> {
    this.detachFile();
    return this.rewrite();
  }

  /**
   * Has the file rewritten before long, because it has records of what must not stay on the disk: within a minute, or later
   * where the file is large.
   */
  rewriteSoon(): void {
    if (this.closed || this.forgetting !== undefined) return;
    const delay = Math.max(this.options.forgetMs ?? FORGET_MS, this.size / FORGET_BYTES_PER_MS);
    this.forgetting = setTimeout(() => {
      this.forgetting = undefined;
      // A rewrite that is under way may have begun before these records became outdated.
      if (this.isRewriting) this.rewriteSoon();
      else if (this.file !== undefined) void this.rewrite();
    }, delay);
    this.forgetting.unref();
  }

  /**
   * Removes a file that is behind the memory, since no state is better than an outdated one. The next attempt rewrites
   * it.
   */
  async discardOutdatedFile(): Promise<void> {
    if (this.file === undefined) await this.removeFiles(this.options.path);
  }

  /** Removes the files; nothing stays on the disk until the next record. */
  async clearFiles(): Promise<void> {
    this.detachFile();
    this.reportRecovery();
    const { round } = this;
    await this.rewriting;
    if (round === this.round) await this.removeFiles(this.draftPath, this.options.path);
  }

  /** Resolves when all records are on the disk, or the disk has failed. Later records are lost. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    clearTimeout(this.forgetting);
    await this.rewriting;
    await this.io.run(async () => {
      const { file } = this;
      this.file = undefined;
      await file?.sync().catch(() => undefined);
      await file?.close().catch(() => undefined);
    });
  }

  private removeFiles(...paths: string[]): Promise<void> {
    return this.io.run(async () => {
      try {
        await removeStateFiles(paths);
      } catch (error) {
        this.reportFailure(error);
      }
    });
  }

  private get draftPath(): string {
    return `${this.options.path}.new`;
  }

  private async flush(durable: boolean): Promise<void> {
    const { file } = this;
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    if (file === undefined) return;
    try {
      await writeAt(file, bytes, this.size);
      if (durable) await file.datasync();
      this.size += bytes.length;
    } catch (error) {
      if (this.file !== file) return;
      this.detachFile({ keepRewriting: true });
      this.reportFailure(error);
    }
  }

  /** Stops appending to the file, and discards a rewrite that is under way unless `keepRewriting` is set. */
  private detachFile({ keepRewriting = false } = {}): void {
    const { file } = this;
    this.file = undefined;
    this.pending = [];
    if (!keepRewriting) {
      this.round += 1;
      this.recordsSinceSnapshot = undefined;
    }
    if (file !== undefined) void this.io.run(() => file.close().catch(() => undefined));
  }

  private compactIfLarge(): void {
    if (this.file === undefined || this.isRewriting) return;
    if (this.size > MIN_COMPACTION_BYTES && this.size > 2 * this.snapshotSize) void this.rewrite();
  }

  private get isRewriting(): boolean {
    return this.recordsSinceSnapshot !== undefined || this.switching;
  }

  /**
   * Writes a whole new file beside the old one; records are also appended to the old one until the new one replaces it.
   */
  private rewrite(): Promise<boolean> {
    this.round += 1;
    const { round } = this;
    clearTimeout(this.forgetting);
    this.forgetting = undefined;
    const since: Buffer[] = [];
    this.recordsSinceSnapshot = since;
    const records = this.options.snapshot();
    this.rewriting = this.rewriting.then(() => this.written(round, records, since));
    return this.rewriteOutcome();
  }

  /** The result of the current rewrite, or of a later one that replaces it. */
  private async rewriteOutcome(): Promise<boolean> {
    const current = this.rewriting;
    const writeSnapshot = await current;
    return current === this.rewriting ? writeSnapshot : this.rewriteOutcome();
  }

  private async written(round: number, records: Iterable<Uint8Array>, since: Buffer[]): Promise<boolean> {
    // This rewrite is obsolete: a newer one was started, or the files were cleared.
    if (round !== this.round) return false;
    let file: FileHandle | undefined;
    try {
      file = await open(this.draftPath, 'w', 0o600);
      const size = await writeStateFile(file, this.options, records, () => round === this.round);
      await file.sync();
      const draft = file;
      if (await this.io.run(() => this.switchTo(draft, size, since, round))) return true;
      await file.close();
      return false;
    } catch (error) {
      await file?.close().catch(() => undefined);
      await rm(this.draftPath, { force: true }).catch(() => undefined);
      if (round === this.round) this.rewriteFailed(error);
      return false;
    }
  }

  private async switchTo(file: FileHandle, snapshotSize: number, since: Buffer[], round: number): Promise<boolean> {
    if (round !== this.round) return false;
    // All records that are pending now are in the snapshot or in `since`; later ones belong in the new file.
    const contained = this.pending.length;
    this.recordsSinceSnapshot = undefined;
    this.switching = true;
    try {
      const bytes = Buffer.concat(since);
      await writeAt(file, bytes, snapshotSize);
      await file.sync();
      await rename(this.draftPath, this.options.path);
      // The old file has no name any more, whatever fails after this.
      const old = this.file;
      this.file = undefined;
      await old?.close().catch(() => undefined);
      await syncDirectoryOf(this.options.path);
      if (round !== this.round) return false;
      this.pending.splice(0, contained);
      this.file = file;
      this.size = snapshotSize + bytes.length;
      this.snapshotSize = this.size;
      this.reportRecovery();
      return true;
    } finally {
      this.switching = false;
    }
  }

  private rewriteFailed(error: unknown): void {
    this.recordsSinceSnapshot = undefined;
    if (this.file === undefined) this.reportFailure(error);
    // The old file is valid, only longer than it should be; the next attempt comes when it has doubled.
    else this.snapshotSize = this.size;
  }

  private reportFailure(error: unknown): void {
    const text = describeDiskProblem(this.options.title, error, this.retryMs);
    if (text !== this.problemText) this.options.onWarning(text);
    this.problemText = text;
    clearTimeout(this.retry);
    if (this.closed) return;
    this.retry = setTimeout(() => void this.rewrite(), this.retryMs);
    this.retry.unref();
  }

  private reportRecovery(): void {
    clearTimeout(this.retry);
    if (this.problemText !== undefined) this.options.onWarning(`${this.options.title} is on disk again`);
    this.problemText = undefined;
  }
}
