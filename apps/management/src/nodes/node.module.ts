import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { NodeController } from './api/node.controller.js';
import { NodeService } from './api/node.service.js';
import { NodeBulkService } from './api/node-bulk.service.js';
import { NodeCommandService } from './api/node-command.service.js';
import { NodeListService } from './api/node-list.service.js';
import { NodeLiveController } from './api/node-live.controller.js';
import { NodeLiveService } from './api/node-live.service.js';
import { NodeAddresses } from './connection/node-addresses.js';
import { NodeConnector } from './connection/node-connector.js';
import { NodeReadClient } from './connection/node-read-client.js';
import { NodeLogService } from './logs/node-log.service.js';
import { NodeSyncManager } from './sync/node-sync-manager.js';
import { NodeTiming } from './sync/node-timing.js';
import { StartRequestBuilder } from './sync/start-request-builder.js';

@Module({
  imports: [CoreStoreModule],
  controllers: [NodeController, NodeLiveController],
  providers: [
    NodeAddresses,
    NodeBulkService,
    NodeCommandService,
    NodeConnector,
    NodeSyncManager,
    NodeListService,
    NodeLiveService,
    NodeLogService,
    NodeReadClient,
    NodeService,
    NodeTiming,
    StartRequestBuilder,
  ],
})
export class NodeModule {}
