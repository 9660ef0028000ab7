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

/** A log is written anew when it is this large and twice what it amounts to. */
const MIN_COMPACTION_BYTES = 1024 * 1024;
const RETRY_MS = 10_000;

export interface JournalOptions extends StateFormat {
  readonly path: string;
  /** What operators call the contents. */
  readonly title: string;
  /**
   * What all records up to this moment amount to, as records. Taken at once and read little by little: what is recorded
   * meanwhile must not show in it.
   */
  readonly snapshot: () => Iterable<Uint8Array>;
  readonly onWarning: (text: string) => void;
  readonly retryMs?: number;
}

/**
 * A state as a file: a snapshot, then a record for each change, in order. After a crash at any moment the file holds some
 * state that was, never a mixture. No call throws: when the disk fails, the owner's memory is the truth, `problem` says
 * so, and the whole file is written anew as soon as that succeeds. One process at a time.
 */
export class Journal {
  /** Undefined while there is no file that further records may be added to. */
  private file?: FileHandle;
  private size = 0;
  /** Its size when it was written anew. */
  private snapshotSize = 0;
  private pending: Buffer[] = [];
  /** Records since the snapshot that is being written. */
  private recordsSinceSnapshot?: Buffer[];
  private switching = false;
  private round = 0;
  private rewriting: Promise<boolean> = Promise.resolve(true);
  private readonly io = new SerialQueue();
  private readonly retryMs: number;
  private retry?: NodeJS.Timeout;
  private closed = false;
  private problemText?: string;

  private constructor(private readonly options: JournalOptions) {
    this.retryMs = options.retryMs ?? RETRY_MS;
  }

  /**
   * Hands every record of the file to `onRecord`, in order. `intact` is false when not all that was written is there, or
   * when the file cannot be continued: what was recorded last may be missing.
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
      // Its base stays 0: what it amounts to nobody knows, so it is written anew when it is large.
      journal.size = size;
      if (cut > 0)
        onWarning(`${title}: the last ${cut} bytes of ${path} were damaged; what stands before them is used`);
      if (file === undefined) journal.reportFailure(Object.assign(new Error('not writable'), { code: 'EACCES' }));
      return { journal, intact: !corrupt && file !== undefined };
    } catch (error) {
      journal.reportFailure(error);
      return { journal, intact: false };
    }
  }

  /** Why the file is behind the owner's memory, with advice; undefined when it is not. */
  get problem(): string | undefined {
    return this.problemText;
  }

  /**
   * Records changes that the owner has made. Resolves when they are in the file; `durable`: when they outlast a crash of
   * the machine too. False when they are not, because the disk fails.
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

  /** Begins anew with a snapshot: nothing that was recorded before counts any more. */
  rewriteFromSnapshot(): Promise<boolean> {
    this.detachFile();
    return this.rewrite();
  }

  /** Takes a file away that is behind: after a crash rather none than this. The next attempt writes it anew. */
  async discardOutdatedFile(): Promise<void> {
    if (this.file === undefined) await this.removeFiles(this.options.path);
  }

  /** Nothing of it is wanted any more: nothing stays on the disk until the next record. */
  async clearFiles(): Promise<void> {
    this.detachFile();
    this.reportRecovery();
    const { round } = this;
    await this.rewriting;
    if (round === this.round) await this.removeFiles(this.draftPath, this.options.path);
  }

  /** Everything that was recorded is on the disk, if it works. Records that come later are lost. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
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

  /** From now on nothing is added to the file, and nothing that is being written becomes it. */
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
    if (this.file === undefined || this.recordsSinceSnapshot !== undefined || this.switching) return;
    if (this.size > MIN_COMPACTION_BYTES && this.size > 2 * this.snapshotSize) void this.rewrite();
  }

  /** Writes a whole new file beside the old one, which goes on until the new one takes its place. */
  private rewrite(): Promise<boolean> {
    this.round += 1;
    const { round } = this;
    const since: Buffer[] = [];
    this.recordsSinceSnapshot = since;
    const records = this.options.snapshot();
    this.rewriting = this.rewriting.then(() => this.written(round, records, since));
    return this.rewriteOutcome();
  }

  /** Of the file that is being written, or of the one that is written instead. */
  private async rewriteOutcome(): Promise<boolean> {
    const current = this.rewriting;
    const writeSnapshot = await current;
    return current === this.rewriting ? writeSnapshot : this.rewriteOutcome();
  }

  private async written(round: number, records: Iterable<Uint8Array>, since: Buffer[]): Promise<boolean> {
    // A newer one is on its way, or nothing is wanted any more.
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
    // All of these are in the snapshot or in `since`; what comes from here on is for the new file.
    const contained = this.pending.length;
    this.recordsSinceSnapshot = undefined;
    this.switching = true;
    try {
      const bytes = Buffer.concat(since);
      await writeAt(file, bytes, snapshotSize);
      await file.sync();
      await rename(this.draftPath, this.options.path);
      // The old one has no name any more, whatever fails from here on.
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
    // The old file is right, only longer than it should be: it may grow once more before the next attempt.
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
