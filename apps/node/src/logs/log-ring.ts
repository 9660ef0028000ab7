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

/** What a kept line costs beside its characters: the string's and the array's own overhead, roughly. */
const LINE_OVERHEAD = 64;

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
    for (const wake of this.waiting) wake();
  }

  /**
   * Lines after a sequence number (default: all that are kept), then new ones until the signal aborts.
   * TOO_MANY_READERS when no more readers are allowed.
   */
  read({ after = 0n, signal }: { after?: bigint; signal: AbortSignal }): AsyncGenerator<LogLine, void> {
    if (this.readers >= this.maxReaders) {
      throw new NodeError(
        'TOO_MANY_READERS',
        `the log already has ${this.maxReaders} readers; close one and try again`,
      );
    }
    return this.follow(after, signal);
  }

  private async *follow(after: bigint, signal: AbortSignal): AsyncGenerator<LogLine, void> {
    this.readers += 1;
    // A number from another life of this node is ahead of every line here: such a reader gets what is kept.
    let sequence = after > this.last ? 0n : after;
    let first = true;
    try {
      while (!signal.aborted) {
        if (sequence === this.last) {
          await this.more(signal);
          continue;
        }
        const dropped = this.oldest - 1n - sequence;
        if (dropped > 0n) {
          sequence += dropped;
          // A reader without a place of its own missed nothing.
          if (!first || after > 0n)
            yield { sequence, detail: dropped === 1n ? '1 line dropped' : `${dropped} lines dropped` };
        } else {
          sequence += 1n;
          yield { sequence, detail: this.lines[this.head + Number(sequence - this.oldest)] ?? '' };
        }
        first = false;
      }
    } finally {
      this.readers -= 1;
    }
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

  private more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}

function cost(line: string): number {
  return line.length + LINE_OVERHEAD;
}
