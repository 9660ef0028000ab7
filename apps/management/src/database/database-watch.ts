import { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/**
 * Pause and time limit in milliseconds. Together they are shorter than the time that a request waits for a hanging
 * database.
 */
const PAUSE_MS = 1_000;
const ANSWER_MS = 4_000;
const TURNS = 3;

export interface DatabaseWatchEvents {
  /** The database did not answer the simplest query in time. */
  onUnresponsive(): void;
  /** The database answers again, or refuses connections, which every request then reports. */
  onResponsive(): void;
}

interface WatchConnection {
  readonly socket: Socket;
  readonly connected: Promise<pg.Client>;
}

/**
 * Checks all the time whether the database answers. A database that fails reports an error, but one that hangs reports
 * nothing: without this check, every request would wait until its own time limit.
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

  /** Whether any answer arrives in time; an error is an answer too. */
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
    // The process itself may have been busy, so answers that have arrived meanwhile are read first.
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
