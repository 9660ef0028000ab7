import { Socket } from 'node:net';
import pg from 'pg';
import { type DatabaseSettings, serverLimits } from '../env/database-settings.js';
import { databaseBusy } from '../errors/database-busy.js';

/** The wait for a free connection, or until a new one is made. */
export const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 15_000;
/** Unused connections are closed long before: only one with a statement under way is silent for longer than that takes. */
const SILENCE_BEYOND_STATEMENT_MS = 5_000;

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** Connections with limits on all that can take long. While the database does not answer, it gives none. */
export class DatabasePool extends pg.Pool {
  private readonly sockets: Set<Socket>;
  private isSuspended = false;

  constructor(config: pg.PoolConfig, settings: DatabaseSettings) {
    const sockets = new Set<Socket>();
    super({
      ...config,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: () => openSocket(sockets, settings.statementSeconds),
      // A pooler knows no such parameters; there they are set in each transaction.
      ...(!settings.isPooled && serverLimits(settings)),
    });
    this.sockets = sockets;
    this.on('error', () => undefined);
  }

  /** Ends what is under way, and gives no connection until `restore`: nobody waits for a database that does not answer. */
  suspend(): void {
    this.isSuspended = true;
    for (const socket of this.sockets) socket.destroy(databaseBusy());
  }

  resume(): void {
    this.isSuspended = false;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | undefined {
    if (!connected) return this.isSuspended ? Promise.reject(databaseBusy()) : super.connect();
    if (this.isSuspended) process.nextTick(connected, databaseBusy(), undefined, () => undefined);
    else super.connect(connected);
    return undefined;
  }
}

/** @param statementSeconds 0: a statement may take any time */
function openSocket(sockets: Set<Socket>, statementSeconds: number): Socket {
  const socket = new Socket();
  sockets.add(socket);
  const silenceMs = statementSeconds * 1000 + SILENCE_BEYOND_STATEMENT_MS;
  if (statementSeconds > 0) socket.setTimeout(silenceMs, () => socket.destroy(databaseBusy()));
  socket.once('close', () => sockets.delete(socket));
  return socket;
}
