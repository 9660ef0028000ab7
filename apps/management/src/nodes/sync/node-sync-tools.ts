import type { DataSource } from 'typeorm';
import type { NodeConnector } from '../connection/node-connector.js';
import type { StartLimiter } from './start-limiter.js';
import type { StartRequests } from './start-request.js';
import type { WantedUsers } from './wanted-users.js';

/** What the workers of one replica share. */
export interface NodeSyncTools {
  readonly database: DataSource;
  readonly connector: NodeConnector;
  readonly orders: StartRequests;
  readonly wanted: WantedUsers;
  readonly startGate: StartLimiter;
}
