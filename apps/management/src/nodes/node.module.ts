import { Module } from '@nestjs/common';
import { CoreModule } from '../cores/core.module.js';
import { NodeController } from './node.controller.js';
import { NodeService } from './node.service.js';
import { NodeAddresses } from './node-addresses.js';
import { NodeBulkService } from './node-bulk.service.js';
import { NodeCommandService } from './node-command.service.js';
import { NodeConnector } from './node-connector.js';
import { NodeDirector } from './node-director.js';
import { NodeListService } from './node-list.service.js';
import { NodeLiveController } from './node-live.controller.js';
import { NodeLiveService } from './node-live.service.js';
import { NodeLogService } from './node-log.service.js';
import { NodeReader } from './node-reader.js';
import { NodeTiming } from './node-timing.js';
import { StartOrders } from './start-order.js';

@Module({
  imports: [CoreModule],
  controllers: [NodeController, NodeLiveController],
  providers: [
    NodeAddresses,
    NodeBulkService,
    NodeCommandService,
    NodeConnector,
    NodeDirector,
    NodeListService,
    NodeLiveService,
    NodeLogService,
    NodeReader,
    NodeService,
    NodeTiming,
    StartOrders,
  ],
})
export class NodeModule {}
