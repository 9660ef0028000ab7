import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { NodeModule } from '../nodes/node.module.js';
import { CoreController } from './core.controller.js';
import { CoreService } from './core.service.js';
import { CoreCheckService } from './core-check.service.js';
import { CoreImpactRepository } from './core-impact.repository.js';
import { OrphanRepository } from './orphan.repository.js';

@Module({
  imports: [CoreStoreModule, NodeModule],
  controllers: [CoreController],
  providers: [CoreCheckService, CoreImpactRepository, CoreService, OrphanRepository],
})
export class CoreModule {}
