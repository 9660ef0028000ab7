/** How management connects to its database, and how many of its resources it uses. */
export interface DatabaseSettings {
  /** Connections for changes, which is also the maximum number of transactions of this process at once. */
  readonly writeConnections: number;
  /** Connections for lists and other reads; changes never use them. */
  readonly readConnections: number;
  /** Connections for subscriptions and access checks; changes and lists never use them. */
  readonly subscriptionConnections: number;
  /** Maximum number of changes that wait for a connection; further ones are refused. */
  readonly waitingChanges: number;
  /**
   * Seconds after which the server cancels a statement, and the wait for a row or table that another transaction has
   * locked; 0: never.
   */
  readonly statementSeconds: number;
  readonly lockSeconds: number;
  /**
   * Whether a pooler runs each transaction in another session, so that nothing may be prepared or set beyond one
   * transaction.
   */
  readonly isPooled: boolean;
  /** URL that bypasses the pooler, for locks that outlive a transaction and for LISTEN; absent when it is the same URL. */
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

/** Seconds after which the server ends an idle transaction. This process never leaves one idle, unless it hangs. */
const IDLE_IN_TRANSACTION_SECONDS = 30;

/** Limits in milliseconds that the server enforces, under its own names. */
export const serverLimits = ({ statementSeconds, lockSeconds }: DatabaseSettings) => ({
  statement_timeout: statementSeconds * 1000,
  lock_timeout: lockSeconds * 1000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_SECONDS * 1000,
});
