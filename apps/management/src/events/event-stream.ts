import { Readable } from 'node:stream';

/** Bytes that are kept for a slow reader. One that lags further behind is told to load everything anew. */
const MAX_BUFFERED = 64 * 1024;

/** Server-Sent Events for one reader, with bounded memory. */
export class EventStream {
  readonly body: Readable;
  private isFull = false;
  private hasMissed = false;

  /** @param lastId the number of the last event that has happened; undefined while none is known */
  constructor(private readonly lastId: () => number | undefined) {
    this.body = new Readable({ highWaterMark: MAX_BUFFERED, read: () => this.drained() });
  }

  /** Sends an event; to a reader that lags behind, a `reset` once it has caught up. */
  send(name: string, id: number | undefined, data: object = {}): void {
    if (this.isFull) this.hasMissed = true;
    else this.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** The reader has missed something: it has to load everything anew. */
  reset(): void {
    this.send('reset', this.lastId());
  }

  /** A comment, by which reader and proxies see that the connection lives. */
  beat(): void {
    if (!this.isFull) this.write(': alive\n\n');
  }

  end(): void {
    this.body.push(null);
  }

  private write(text: string): void {
    if (!this.body.readableEnded && !this.body.destroyed) this.isFull = !this.body.push(text);
  }

  private drained(): void {
    this.isFull = false;
    if (!this.hasMissed) return;
    this.hasMissed = false;
    this.reset();
  }
}
