import type { DataSource } from 'typeorm';
import type { NodeConnector } from '../connection/node-connector.js';
import type { ExpectedUsers } from './expected-users.js';
import type { StartLimiter } from './start-limiter.js';
import type { StartRequestBuilder } from './start-request-builder.js';

/** What the workers of one replica share. */
export interface NodeSyncContext {
  readonly database: DataSource;
  readonly connector: NodeConnector;
  readonly startRequests: StartRequestBuilder;
  readonly expectedUsers: ExpectedUsers;
  readonly startLimiter: StartLimiter;
}
