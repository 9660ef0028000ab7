import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const FIRST_RETRY_DELAY_MS = 200;
const MAX_RETRY_DELAY_MS = 10_000;
const QUERY_TIMEOUT_MS = 5_000;
/** Interval of the queries that detect a hanging database, whose nodes must go to a replica that has a working one. */
const PROBE_INTERVAL_MS = 3_000;

export interface CoordinationEvents {
  /** Connected, or connected again: earlier notifications were missed, and no lock is held. */
  connected(): void;
  notificationReceived(channel: string, payload: string): void;
  /** Every lock is gone; another replica may hold it already. */
  connectionLost(reason: string): void;
}

/**
 * The one long-lived connection of this replica to PostgreSQL. It receives notifications and holds session locks, which
 * another replica can take as soon as the connection breaks.
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

  /** Whether the connection is open now. */
  get isConnected(): boolean {
    return this.connection !== undefined;
  }

  /** A query that fails or gets no answer closes the connection, which is then opened again. */
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
    for (let delay = FIRST_RETRY_DELAY_MS; !signal.aborted; delay = Math.min(delay * 2, MAX_RETRY_DELAY_MS)) {
      if (await this.connectOnce(signal)) delay = FIRST_RETRY_DELAY_MS;
      await wait(delay, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Opens one connection and waits for its end. Returns whether it was established. */
  private async connectOnce(signal: AbortSignal): Promise<boolean> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'rampart-coordination',
      connectionTimeoutMillis: QUERY_TIMEOUT_MS,
      // A server limit for statements is not needed: no query waits for a lock, and one without an answer ends the connection.
      query_timeout: QUERY_TIMEOUT_MS,
      stream: () => socket,
    });
    const ended = new Promise<string>((resolve) => {
      client.once('error', ({ message }) => resolve(message)).once('end', () => resolve('closed'));
    });
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload = '' }) => this.events.notificationReceived(channel, payload));
    const end = () => void (this.connection ? client.end() : socket.destroy());
    signal.addEventListener('abort', end);
    let probes: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      // If this machine disappears, the server notices within half a minute and releases its locks.
      await client.query('SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3');
      for (const channel of this.channels) await client.query(`LISTEN ${channel}`);
      signal.throwIfAborted();
      this.connection = { client, socket };
      probes = setInterval(() => void this.query('SELECT 1', []).catch(() => undefined), PROBE_INTERVAL_MS);
      this.events.connected();
      this.events.connectionLost(await ended);
      return true;
    } catch (error) {
      this.events.connectionLost(String(error));
      return false;
    } finally {
      clearInterval(probes);
      this.connection = undefined;
      signal.removeEventListener('abort', end);
      socket.destroy();
    }
  }
}
