/** How the program connects to its database, and how much of it it takes. */
export interface DatabaseSettings {
  /** Connections for changes; so many transactions of this process are open at once. */
  readonly writeConnections: number;
  /** For lists and other reads, which changes cannot take. */
  readonly readConnections: number;
  /** For subscriptions and for the question who asks, which neither changes nor lists can take. */
  readonly subscriptionConnections: number;
  /** So many changes may wait for a connection; one more is refused. */
  readonly waitingChanges: number;
  /** Seconds after which the server ends a statement, and the wait for a row or table that somebody else holds; 0: never. */
  readonly statementSeconds: number;
  readonly lockSeconds: number;
  /** A pooler gives each transaction another session: nothing may be prepared or set for longer than one. */
  readonly isPooled: boolean;
  /** Past the pooler: for locks that outlive a transaction, and for LISTEN. Without it the same URL. */
  readonly directUrl?: string;
}

export const DEFAULT_SETTINGS: DatabaseSettings = {
  writeConnections: 6,
  readConnections: 10,
  subscriptionConnections: 4,
  waitingChanges: 1000,
  statementSeconds: 30,
  lockSeconds: 5,
  isPooled: false,
};

/** A whole transaction may sit idle for so long: this process never does, unless it hangs. */
const IDLE_IN_TRANSACTION_SECONDS = 30;

/** The limits that the server keeps, under its own names. In milliseconds. */
export const serverLimits = ({ statementSeconds, lockSeconds }: DatabaseSettings) => ({
  statement_timeout: statementSeconds * 1000,
  lock_timeout: lockSeconds * 1000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_SECONDS * 1000,
});
