import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { NodeModule } from '../nodes/node.module.js';
import { CoreController } from './core.controller.js';
import { CoreService } from './core.service.js';
import { OrphanRepository } from './orphan.repository.js';

@Module({
  imports: [CoreStoreModule, NodeModule],
  controllers: [CoreController],
  providers: [CoreService, OrphanRepository],
})
export class CoreModule {}
