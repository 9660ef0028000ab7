import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventLoopTurns } from '../../concurrency/event-loop-turns.js';
import { NodeCertificates } from '../authority/node-certificates.js';
import { NodeConnector } from '../connection/node-connector.js';
import { NodeCoreRepository } from '../store/node-core.repository.js';
import { TrafficStores } from '../traffic/traffic-stores.js';
import { ChangeReader } from './change-reader.js';
import { ExpectedUsers } from './expected-users.js';
import { NodeSyncRepository } from './node-sync.repository.js';
import { StartLimiter } from './start-limiter.js';
import { StartRequestBuilder } from './start-request-builder.js';
import { SyncedRevisions } from './synced-revisions.js';

/** What the workers of one replica share. */
@Injectable()
export class NodeSyncContext {
  readonly expectedUsers: ExpectedUsers;
  readonly changes: ChangeReader;
  readonly syncedRevisions: SyncedRevisions;
  readonly startLimiter = new StartLimiter();
  /** For batches of users, each of which takes a millisecond to send: a hundred nodes get the same one at once. */
  readonly batchTurns = new EventLoopTurns();

  constructor(
    readonly database: DataSource,
    readonly connector: NodeConnector,
    readonly startRequests: StartRequestBuilder,
    readonly nodes: NodeSyncRepository,
    readonly cores: NodeCoreRepository,
    readonly traffic: TrafficStores,
    readonly certificates: NodeCertificates,
  ) {
    this.expectedUsers = new ExpectedUsers(database);
    this.changes = new ChangeReader(database, nodes);
    this.syncedRevisions = new SyncedRevisions(database, nodes);
  }
}
