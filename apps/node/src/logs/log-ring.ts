import { NodeError } from '../errors/node-error.js';

/** One log line, numbered from 1 in order of arrival. */
export interface LogLine {
  readonly sequence: bigint;
  readonly detail: string;
}

export interface LogRingLimits {
  /** Memory for lines in bytes; default 4 MiB. */
  readonly maxBytes?: number;
  /** Longer lines are cut, in characters; default 8,192. */
  readonly maxLineLength?: number;
  /** Maximum number of readers; default 1,024. */
  readonly maxReaders?: number;
}

export interface LogReadOptions {
  /** Start after this sequence number; the default 0 starts with the oldest kept line. */
  readonly after?: bigint | undefined;
  /** Aborting it ends the reading. */
  readonly signal: AbortSignal;
  /** Time without a line after which the reader gets an empty batch; by default never. */
  readonly quietMs?: number | undefined;
  /** Called when the reader is registered; the returned function is called when it leaves. */
  readonly onOpen?: () => () => void;
}

/** Approximate overhead of a kept line beside its characters. */
const LINE_OVERHEAD_BYTES = 64;
/** Waiting readers are woken at most this often: waking them for every line would cost as much as for many. */
const WAKE_INTERVAL_MS = 50;
/** Maximum size of a batch in characters; more would wait in memory for a slow reader. */
const MAX_BATCH_LENGTH = 16 * 1024;

/**
 * Keeps the latest lines in bounded memory. Each reader has its own position; a slow one loses old lines and is told
 * how many.
 */
export class LogRing {
  private readonly lines: string[] = [];
  /** Index in `lines` of the oldest kept line; the lines before it are removed now and then. */
  private oldestIndex = 0;
  private bytes = 0;
  /** Sequence number of the newest line. */
  private newest = 0n;
  private readers = 0;
  private readonly waiting = new Set<() => void>();
  private wakePaused = false;
  /** The newest line when readers were last woken. */
  private wokenAt = 0n;
  private readonly maxBytes: number;
  private readonly maxLineLength: number;
  private readonly maxReaders: number;

  constructor({ maxBytes = 4 << 20, maxLineLength = 8192, maxReaders = 1024 }: LogRingLimits = {}) {
    this.maxBytes = maxBytes;
    this.maxLineLength = maxLineLength;
    this.maxReaders = maxReaders;
  }

  appendLine(line: string): void {
    const cut = line.length > this.maxLineLength ? `${line.slice(0, this.maxLineLength)}…` : line;
    this.lines.push(cut);
    this.newest += 1n;
    this.bytes += lineCost(cut);
    while (this.bytes > this.maxBytes && this.oldestIndex < this.lines.length - 1) this.dropOldest();
    if (!this.wakePaused) this.wakeReaders();
  }

  /**
   * Yields the kept lines, then new ones, in batches, until the signal aborts. The reader is registered at once.
   * TOO_MANY_READERS when no more readers are allowed.
   */
  readLines({ after = 0n, signal, quietMs, onOpen }: LogReadOptions): AsyncGenerator<readonly LogLine[], void> {
    if (this.readers >= this.maxReaders) {
      throw new NodeError(
        'TOO_MANY_READERS',
        `the log already has ${this.maxReaders} readers; close one and try again`,
      );
    }
    return this.followLines({ after, signal, quietMs }, this.registerReader(signal, onOpen));
  }

  /** Registers a reader until the returned function is called or the signal aborts, even before the reading begins. */
  private registerReader(signal: AbortSignal, hold?: () => () => void): () => void {
    let here = true;
    this.readers += 1;
    const release = hold?.();
    const leave = (): void => {
      if (!here) return;
      here = false;
      this.readers -= 1;
      signal.removeEventListener('abort', leave);
      release?.();
    };
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    return leave;
  }

  private async *followLines(
    { after, signal, quietMs }: { after: bigint; signal: AbortSignal; quietMs: number | undefined },
    leave: () => void,
  ): AsyncGenerator<readonly LogLine[], void> {
    // A number from an earlier process of this node is greater than every line here: such a reader gets all
    // kept lines.
    let sequence = after > this.newest ? 0n : after;
    // A reader that starts from the beginning is not told about dropped lines.
    let missing = after > 0n;
    try {
      while (!signal.aborted) {
        if (sequence === this.newest) {
          if (!(await this.waitForLines(signal, quietMs))) yield [];
          continue;
        }
        const lines = this.nextBatch(sequence, missing);
        sequence = lines.at(-1)?.sequence ?? sequence;
        missing = true;
        yield lines;
      }
    } finally {
      leave();
    }
  }

  /** The next lines, up to the size of a batch; a first line tells how many are dropped, if the reader misses some. */
  private nextBatch(sequence: bigint, missing: boolean): LogLine[] {
    const lines: LogLine[] = [];
    const dropped = this.oldest - 1n - sequence;
    let next = sequence + 1n;
    if (dropped > 0n) {
      next = this.oldest;
      const detail = dropped === 1n ? '1 line dropped' : `${dropped} lines dropped`;
      if (missing) lines.push({ sequence: next - 1n, detail });
    }
    let index = this.oldestIndex + Number(next - this.oldest);
    for (let length = 0; length < MAX_BATCH_LENGTH && index < this.lines.length; index += 1) {
      const detail = this.lines[index] ?? '';
      lines.push({ sequence: next, detail });
      length += lineCost(detail);
      next += 1n;
    }
    return lines;
  }

  /** Sequence number of the oldest kept line. */
  private get oldest(): bigint {
    return this.newest - BigInt(this.lines.length - this.oldestIndex) + 1n;
  }

  private dropOldest(): void {
    this.bytes -= lineCost(this.lines[this.oldestIndex] ?? '');
    this.lines[this.oldestIndex] = '';
    this.oldestIndex += 1;
    if (this.oldestIndex > 1024 && this.oldestIndex * 2 > this.lines.length) {
      this.lines.splice(0, this.oldestIndex);
      this.oldestIndex = 0;
    }
  }

  private wakeReaders(): void {
    this.wakePaused = this.waiting.size > 0 && this.newest > this.wokenAt;
    if (!this.wakePaused) return;
    this.wokenAt = this.newest;
    for (const wake of this.waiting) wake();
    setTimeout(() => this.wakeReaders(), WAKE_INTERVAL_MS).unref();
  }

  /** Resolves with true when there may be more lines, with false after the quiet time. */
  private waitForLines(signal: AbortSignal, quietMs: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (quiet: boolean) => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        clearTimeout(timer);
        resolve(!quiet);
      };
      const wake = () => end(false);
      const timer = quietMs === undefined ? undefined : setTimeout(end, quietMs, true);
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}

function lineCost(line: string): number {
  return line.length + LINE_OVERHEAD_BYTES;
}
