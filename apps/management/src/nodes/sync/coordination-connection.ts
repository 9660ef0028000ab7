import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const ANSWER_MS = 5_000;
/** A database that hangs sends nothing: it is asked, so that the nodes go to a replica that has one. */
const QUESTION_MS = 3_000;

export interface CoordinationEvents {
  /** Connected (again): what was announced before was missed, and no lock is held. */
  connected(): void;
  notificationReceived(channel: string, payload: string): void;
  /** Every lock is gone; another replica may hold them already. */
  connectionLost(reason: string): void;
}

/**
 * This replica's one long-lived connection to PostgreSQL: it hears announcements, and the session locks that it wins go
 * to another replica as soon as it breaks.
 */
export class CoordinationConnection {
  private readonly stopping = new AbortController();
  private connection?: { client: pg.Client; socket: Socket };
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly channels: readonly string[],
    private readonly events: CoordinationEvents,
  ) {}

  start(): void {
    this.running = this.run(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** A query that fails or gets no answer costs the connection, which is then made anew. */
  async query<Row extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    const { connection } = this;
    if (!connection) throw new Error('there is no connection to the database now');
    try {
      return (await connection.client.query<Row>(sql, [...parameters])).rows;
    } catch (error) {
      connection.socket.destroy();
      throw error;
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (await this.connectOnce(signal)) pause = FIRST_PAUSE_MS;
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One connection from its beginning to its end. Answers whether it was one. */
  private async connectOnce(signal: AbortSignal): Promise<boolean> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'rampart-coordination',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      stream: () => socket,
    });
    const ended = new Promise<string>((resolve) => {
      client.once('error', ({ message }) => resolve(message)).once('end', () => resolve('closed'));
    });
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload = '' }) => this.events.notificationReceived(channel, payload));
    const end = () => void (this.connection ? client.end() : socket.destroy());
    signal.addEventListener('abort', end);
    let questions: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      // The server finds out within half a minute that this machine is gone, and gives its locks away.
      await client.query('SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3');
      for (const channel of this.channels) await client.query(`LISTEN ${channel}`);
      signal.throwIfAborted();
      this.connection = { client, socket };
      questions = setInterval(() => void this.query('SELECT 1', []).catch(() => undefined), QUESTION_MS);
      this.events.connected();
      this.events.connectionLost(await ended);
      return true;
    } catch (error) {
      this.events.connectionLost(String(error));
      return false;
    } finally {
      clearInterval(questions);
      this.connection = undefined;
      signal.removeEventListener('abort', end);
      socket.destroy();
    }
  }
}
