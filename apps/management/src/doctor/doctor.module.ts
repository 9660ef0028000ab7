import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { NodeModule } from '../nodes/node.module.js';
import { CoreChecks } from './check-cores.js';
import { NodeChecks } from './check-nodes.js';
import { ProxyChecks } from './check-proxies.js';
import { DoctorController } from './doctor.controller.js';
import { DoctorService } from './doctor.service.js';

@Module({
  imports: [CoreStoreModule, NodeModule],
  controllers: [DoctorController],
  providers: [CoreChecks, DoctorService, NodeChecks, ProxyChecks],
})
export class DoctorModule {}
