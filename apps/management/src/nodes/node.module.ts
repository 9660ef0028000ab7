import { Module } from '@nestjs/common';
import { CoreModule } from '../cores/core.module.js';
import { NodeController } from './node.controller.js';
import { NodeService } from './node.service.js';
import { NodeConnector } from './node-connector.js';
import { NodeDirector } from './node-director.js';
import { NodeTiming } from './node-timing.js';
import { StartOrders } from './start-order.js';

@Module({
  imports: [CoreModule],
  controllers: [NodeController],
  providers: [NodeConnector, NodeDirector, NodeService, NodeTiming, StartOrders],
})
export class NodeModule {}
