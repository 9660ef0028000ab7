import { Socket } from 'node:net';
import pg from 'pg';
import { type DatabaseSettings, serverLimits } from '../env/database-settings.js';
import { databaseBusy } from '../errors/database-busy.js';

/** Milliseconds to wait for a free connection or for a new one. */
export const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 15_000;
/**
 * Milliseconds beyond the time limit of statements. A connection that is silent for longer hangs: idle ones are closed
 * long before.
 */
const SILENCE_BEYOND_STATEMENT_MS = 5_000;

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** A pool whose connections have time limits for everything. While it is suspended, it hands out no connections. */
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
      // A pooler does not accept these parameters; through it, each transaction sets them.
      ...(!settings.isPooled && serverLimits(settings)),
    });
    this.sockets = sockets;
    this.on('error', () => undefined);
  }

  /**
   * Closes all connections and refuses new ones until `resume`, so that nobody waits for a database that does not
   * answer.
   */
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

/** @param statementSeconds time limit of statements; 0: none */
function openSocket(sockets: Set<Socket>, statementSeconds: number): Socket {
  const socket = new Socket();
  sockets.add(socket);
  const silenceMs = statementSeconds * 1000 + SILENCE_BEYOND_STATEMENT_MS;
  if (statementSeconds > 0) socket.setTimeout(silenceMs, () => socket.destroy(databaseBusy()));
  socket.once('close', () => sockets.delete(socket));
  return socket;
}
