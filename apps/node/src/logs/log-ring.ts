import { NodeError } from '../errors/node-error.js';

/** One line of the engine's log, numbered from 1 in order of arrival. */
export interface LogLine {
  readonly sequence: bigint;
  readonly detail: string;
}

export interface LogRingLimits {
  /** Memory for lines, in bytes. Default 4 MiB. */
  readonly maxBytes?: number;
  /** A longer line is cut. In characters; default 8,192. */
  readonly maxLineLength?: number;
  /** Default 1,024. */
  readonly maxReaders?: number;
}

export interface LogReading {
  /** Begin after this sequence number; 0, the default, with all that is kept. */
  readonly after?: bigint | undefined;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** After so long without a line the reader gets an empty batch. Default never. */
  readonly quietMs?: number | undefined;
  /** Called when the reader has its place; what it returns, when the place is free again. */
  readonly hold?: () => () => void;
}

/** What a kept line costs beside its characters: the string's and the array's own overhead, roughly. */
const LINE_OVERHEAD = 64;
/** Readers who wait are woken no more often: every line on its own would cost each of them as much as many together. */
const WAKE_EVERY_MS = 50;
/** What a reader gets at once, in characters; more would wait beside a slow one. */
const BATCH_LENGTH = 16 * 1024;

/** Keeps the latest lines in bounded memory. Each reader has its own place; a slow one loses old lines and is told how many. */
export class LogRing {
  private readonly lines: string[] = [];
  /** Index in `lines` of the oldest kept line; what stands before it is freed now and then. */
  private head = 0;
  private bytes = 0;
  /** Sequence number of the newest line. */
  private last = 0n;
  private readers = 0;
  private readonly waiting = new Set<() => void>();
  private resting = false;
  /** What was the newest line when readers were woken last. */
  private told = 0n;
  private readonly maxBytes: number;
  private readonly maxLineLength: number;
  private readonly maxReaders: number;

  constructor({ maxBytes = 4 << 20, maxLineLength = 8192, maxReaders = 1024 }: LogRingLimits = {}) {
    this.maxBytes = maxBytes;
    this.maxLineLength = maxLineLength;
    this.maxReaders = maxReaders;
  }

  append(line: string): void {
    const cut = line.length > this.maxLineLength ? `${line.slice(0, this.maxLineLength)}…` : line;
    this.lines.push(cut);
    this.last += 1n;
    this.bytes += cost(cut);
    while (this.bytes > this.maxBytes && this.head < this.lines.length - 1) this.dropOldest();
    if (!this.resting) this.wake();
  }

  /**
   * What is kept, then what comes, in batches, until the signal aborts. The reader has its place from now on.
   * TOO_MANY_READERS when no more readers are allowed.
   */
  read({ after = 0n, signal, quietMs, hold }: LogReading): AsyncGenerator<readonly LogLine[], void> {
    if (this.readers >= this.maxReaders) {
      throw new NodeError(
        'TOO_MANY_READERS',
        `the log already has ${this.maxReaders} readers; close one and try again`,
      );
    }
    return this.follow({ after, signal, quietMs }, this.enter(signal, hold));
  }

  /** Takes a place, until the returned function is called or the signal aborts: a reading may end before it began. */
  private enter(signal: AbortSignal, hold?: () => () => void): () => void {
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

  private async *follow(
    { after, signal, quietMs }: { after: bigint; signal: AbortSignal; quietMs: number | undefined },
    leave: () => void,
  ): AsyncGenerator<readonly LogLine[], void> {
    // A number from another life of this node is ahead of every line here: such a reader gets what is kept.
    let sequence = after > this.last ? 0n : after;
    // A reader without a place of its own has missed nothing yet.
    let missing = after > 0n;
    try {
      while (!signal.aborted) {
        if (sequence === this.last) {
          if (!(await this.more(signal, quietMs))) yield [];
          continue;
        }
        const lines = this.batch(sequence, missing);
        sequence = lines.at(-1)?.sequence ?? sequence;
        missing = true;
        yield lines;
      }
    } finally {
      leave();
    }
  }

  /** The next lines, as many as one batch takes; before them how many are gone already, if the reader misses them. */
  private batch(sequence: bigint, missing: boolean): LogLine[] {
    const lines: LogLine[] = [];
    const dropped = this.oldest - 1n - sequence;
    let next = sequence + 1n;
    if (dropped > 0n) {
      next = this.oldest;
      const detail = dropped === 1n ? '1 line dropped' : `${dropped} lines dropped`;
      if (missing) lines.push({ sequence: next - 1n, detail });
    }
    let index = this.head + Number(next - this.oldest);
    for (let length = 0; length < BATCH_LENGTH && index < this.lines.length; index += 1) {
      const detail = this.lines[index] ?? '';
      lines.push({ sequence: next, detail });
      length += cost(detail);
      next += 1n;
    }
    return lines;
  }

  /** Sequence number of the oldest line that is kept. */
  private get oldest(): bigint {
    return this.last - BigInt(this.lines.length - this.head) + 1n;
  }

  private dropOldest(): void {
    this.bytes -= cost(this.lines[this.head] ?? '');
    this.lines[this.head] = '';
    this.head += 1;
    if (this.head > 1024 && this.head * 2 > this.lines.length) {
      this.lines.splice(0, this.head);
      this.head = 0;
    }
  }

  private wake(): void {
    this.resting = this.waiting.size > 0 && this.last > this.told;
    if (!this.resting) return;
    this.told = this.last;
    for (const wake of this.waiting) wake();
    setTimeout(() => this.wake(), WAKE_EVERY_MS).unref();
  }

  /** Whether there may be more; false when it was quiet for too long. */
  private more(signal: AbortSignal, quietMs: number | undefined): Promise<boolean> {
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

function cost(line: string): number {
  return line.length + LINE_OVERHEAD;
}
