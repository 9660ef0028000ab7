import { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/** In milliseconds. Together they are less than what a request may wait for a database that hangs. */
const PAUSE_MS = 1_000;
const ANSWER_MS = 4_000;
const TURNS = 3;

export interface DatabaseWatchEvents {
  /** The database has taken too long for the smallest of questions. */
  onUnresponsive(): void;
  /** It answers again, or refuses the connection, which everybody then is told. */
  onResponsive(): void;
}

interface WatchConnection {
  readonly socket: Socket;
  readonly connected: Promise<pg.Client>;
}

/**
 * Asks the database all the time whether it answers. One that fails says so to everybody; one that hangs says nothing, and
 * without this each request would wait until its own limit.
 */
export class DatabaseWatch {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private isUnresponsive = false;
  private connection: WatchConnection | undefined;

  constructor(
    private readonly url: string,
    private readonly events: DatabaseWatchEvents,
  ) {}

  start(): void {
    this.running = this.run(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.disconnect();
    await this.running;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const answers = await this.answersInTime(signal);
      if (signal.aborted) return;
      if (answers === this.isUnresponsive) this.reportState(!answers);
      if (answers) await wait(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private reportState(isSilent: boolean): void {
    this.isUnresponsive = isSilent;
    if (isSilent) this.events.onUnresponsive();
    else this.events.onResponsive();
  }

  /** A failure is an answer too. */
  private async answersInTime(signal: AbortSignal): Promise<boolean> {
    this.connection ??= this.open();
    const { connection } = this;
    let isOver = false;
    const asked = connection.connected
      .then((client) => client.query('SELECT 1'))
      .catch(() => this.disconnect(connection))
      .finally(() => {
        isOver = true;
      });
    await Promise.race([asked, wait(ANSWER_MS, undefined, { signal, ref: false }).catch(() => undefined)]);
    // This process may have been the one that had no time: what has arrived meanwhile is read first.
    for (let turns = 0; turns < TURNS && !isOver; turns += 1) await turn();
    if (!isOver) this.disconnect(connection);
    return isOver;
  }

  private open(): WatchConnection {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'rampart-watch',
      stream: () => socket,
    });
    const line = { socket, connected: client.connect().then(() => client) };
    client.on('error', () => this.disconnect(line));
    return line;
  }

  private disconnect(line = this.connection): void {
    line?.socket.destroy();
    if (line === this.connection) this.connection = undefined;
  }
}
