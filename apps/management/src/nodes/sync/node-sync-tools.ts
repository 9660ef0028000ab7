import type { DataSource } from 'typeorm';
import type { NodeConnector } from '../connection/node-connector.js';
import type { StartGate } from './start-gate.js';
import type { StartOrders } from './start-order.js';
import type { WantedUsers } from './wanted-users.js';

/** What the workers of one replica share. */
export interface NodeSyncTools {
  readonly database: DataSource;
  readonly connector: NodeConnector;
  readonly orders: StartOrders;
  readonly wanted: WantedUsers;
  readonly startGate: StartGate;
}
