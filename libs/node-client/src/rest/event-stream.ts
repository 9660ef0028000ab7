import { NodeClientError } from '../errors/node-client-error.js';
import type { Log } from '../gen/service.js';
import { nextTurn } from '../transport/next-turn.js';

/** Maximum length of a line in characters: an incomplete line is held in memory. Those of Rampart nodes have 128 Ki at most. */
const MAX_LINE_LENGTH = 512 * 1024;
/** What may come within a time beside events: lines that make none, so many characters of them, and chunks that are shorter. */
const MAX_IDLE = 10_000;
const IDLE_CHARACTERS = 100;
const IDLE_MS = 10_000;
/** What belongs to an event: its id, its type, its empty line, and the chunks in which it comes. */
const IDLE_OF_EVENT = 16;
const FIELD = /^(data|id|event|retry)?:(?: )?(.*)$/s;

/**
 * Parses a log stream: Server-Sent Events with their ids, or the plain lines of other nodes, which get the sequence 0.
 * Comments and empty lines are skipped. Others have their turn of the event loop after each chunk.
 *
 * @throws NodeClientError `PROTOCOL` for a line that is too long, and for a stream that is hardly anything but skipped lines
 */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Log, void, void> {
  const decoder = new TextDecoder();
  const events = new EventParser();
  let rest = '';
  try {
    for await (const chunk of chunks) {
      // Only the new chunk is searched, so that a long line in small chunks takes linear time.
      const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
      lines.unshift(rest + first);
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH) throw tooLong();
      if (chunk.length < IDLE_CHARACTERS) events.idle.add(1);
      yield* events.of(lines);
      await nextTurn();
    }
    if (rest !== '') yield* events.of([rest]);
  } finally {
    events.idle.end();
  }
}

class EventParser {
  readonly idle = new IdleLimit();
  private data: string[] = [];
  private length = 0;
  private sequence = 0n;

  *of(lines: readonly string[]): Generator<Log, void, void> {
    for (const line of lines) {
      const log = this.next(line.endsWith('\r') ? line.slice(0, -1) : line);
      if (!log) continue;
      this.idle.give(IDLE_OF_EVENT);
      yield log;
    }
  }

  /** The event or the plain line that ends with a line. */
  private next(line: string): Log | undefined {
    if (line === '') return this.ended();
    const [, field, value] = FIELD.exec(line) ?? [];
    if (value === undefined) return { detail: line, sequence: 0n };
    if (field === 'data') {
      this.data.push(value);
      this.length += line.length;
      if (this.length > MAX_LINE_LENGTH) throw tooLong();
      return undefined;
    }
    if (field === 'id') this.sequence = /^\d{1,20}$/.test(value) ? BigInt(value) : 0n;
    this.idle.add(1 + line.length / IDLE_CHARACTERS);
    return undefined;
  }

  private ended(): Log | undefined {
    const { data, sequence } = this;
    this.data = [];
    this.length = 0;
    if (data.length > 0) return { detail: data.join('\n'), sequence };
    this.idle.add(1);
    return undefined;
  }
}

/** Ends a stream that keeps its reader busy with what makes no event. */
class IdleLimit {
  private count = 0;
  private readonly timer = setInterval(() => {
    this.count = 0;
  }, IDLE_MS).unref();

  add(cost: number): void {
    this.count += cost;
    if (this.count > MAX_IDLE)
      throw new NodeClientError('PROTOCOL', 'the log is hardly anything but empty lines and comments');
  }

  give(cost: number): void {
    this.count = Math.max(0, this.count - cost);
  }

  end(): void {
    clearInterval(this.timer);
  }
}

const tooLong = (): NodeClientError =>
  new NodeClientError('PROTOCOL', `a log line is longer than ${MAX_LINE_LENGTH} characters`);
