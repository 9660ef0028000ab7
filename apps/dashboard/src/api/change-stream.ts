import { readEvents } from './event-stream';

/** What the API tells of a change; nothing of the object itself travels. */
export interface Change {
  type: string;
  action: string;
  /** The name of a user or an admin, the id of anything else; null: many objects. */
  key: string | null;
}

/** What one tab of the browser tells the others. */
interface Message {
  id?: string | undefined;
  change?: Change;
  hasMissed?: boolean;
  isLive?: boolean;
}

interface Listener {
  onChange: (change: Change) => void;
  /** Everything that is shown may be out of date. */
  onMissed: () => void;
  onLive: (isLive: boolean) => void;
}

const NAME = 'rampart-changes';
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/**
 * Hears what changes. Of all tabs of a browser one has the connection and tells the others, as far as the browser offers locks: over
 * plain HTTP each visible tab has its own. A connection that was lost goes on after the last event that was heard.
 */
export class ChangeStream {
  private readonly channel = new BroadcastChannel(NAME);
  private lastId: string | undefined;

  constructor(private readonly listener: Listener) {
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.take(data);
  }

  close(): void {
    this.channel.close();
  }

  /** Hears until `signal` stops it. */
  async run(signal: AbortSignal): Promise<void> {
    const hear = () => this.hear(signal);
    try {
      // Browsers offer locks to secure pages only.
      await ('locks' in navigator ? navigator.locks.request(NAME, { signal }, hear) : hear());
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private async hear(signal: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        await this.read(signal, () => {
          pause = FIRST_PAUSE_MS / 2;
          this.tell({ isLive: true });
        });
      } catch {
        this.tell({ isLive: false });
      }
      await elapsed(pause, signal);
    }
  }

  /** Reads one connection to its end; one that is silent for too long counts as broken. */
  private async read(signal: AbortSignal, onAlive: () => void): Promise<void> {
    const stop = new AbortController();
    const end = () => stop.abort();
    signal.addEventListener('abort', end);
    let timer = setTimeout(end, SILENCE_MS);
    try {
      await readEvents('/api/events', {
        signal: stop.signal,
        lastId: this.lastId,
        onAlive: () => {
          clearTimeout(timer);
          timer = setTimeout(end, SILENCE_MS);
          onAlive();
        },
        onEvent: ({ id, name, data }) =>
          this.tell(
            name === 'ready' || name === 'reset' ? { id, hasMissed: true } : { id, change: JSON.parse(data) as Change },
          ),
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
    if (stop.signal.aborted && !signal.aborted) throw new Error('The stream of changes is silent.');
  }

  private tell(message: Message): void {
    this.channel.postMessage(message);
    this.take(message);
  }

  private take({ id, change, hasMissed, isLive }: Message): void {
    if (id !== undefined) this.lastId = id;
    if (isLive !== undefined) this.listener.onLive(isLive);
    if (hasMissed) this.listener.onMissed();
    if (change) this.listener.onChange(change);
  }
}

const elapsed = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
