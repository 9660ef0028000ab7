import { Module } from '@nestjs/common';
import { NodeModule } from '../nodes/node.module.js';
import { Machine } from './machine.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';
import { UserMetrics } from './user-metrics.js';

@Module({ imports: [NodeModule], controllers: [SystemController], providers: [Machine, SystemService, UserMetrics] })
export class SystemModule {}
