import { Module } from '@nestjs/common';
import { Health } from '@rampart/program';
import { DataSource } from 'typeorm';
import { asDatabase } from '../database/database.js';
import { NodeModule } from '../nodes/node.module.js';
import { NodeSyncManager } from '../nodes/sync/node-sync-manager.js';
import { HealthController } from './health.controller.js';

@Module({
  imports: [NodeModule],
  controllers: [HealthController],
  providers: [
    {
      provide: Health,
      inject: [DataSource, NodeSyncManager],
      useFactory: (database: DataSource, nodes: NodeSyncManager) =>
        new Health({
          database: () => asDatabase(database).problem(),
          coordination: () => nodes.coordinationProblem,
        }),
    },
  ],
})
export class HealthModule {}
