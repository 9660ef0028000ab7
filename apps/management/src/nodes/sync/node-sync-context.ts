import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NodeConnector } from '../connection/node-connector.js';
import { NodeCoreRepository } from '../store/node-core.repository.js';
import { TrafficStores } from '../traffic/traffic-stores.js';
import { ExpectedUsers } from './expected-users.js';
import { NodeSyncRepository } from './node-sync.repository.js';
import { StartLimiter } from './start-limiter.js';
import { StartRequestBuilder } from './start-request-builder.js';

/** What the workers of one replica share. */
@Injectable()
export class NodeSyncContext {
  readonly expectedUsers: ExpectedUsers;
  readonly startLimiter = new StartLimiter();

  constructor(
    readonly database: DataSource,
    readonly connector: NodeConnector,
    readonly startRequests: StartRequestBuilder,
    readonly nodes: NodeSyncRepository,
    readonly cores: NodeCoreRepository,
    readonly traffic: TrafficStores,
  ) {
    this.expectedUsers = new ExpectedUsers(database);
  }
}
