import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { HostController } from './host.controller.js';
import { HostRepository } from './host.repository.js';
import { HostService } from './host.service.js';
import { HostHealthRepository } from './host-health.repository.js';
import { HostOrderService } from './host-order.service.js';

@Module({
  imports: [CoreStoreModule],
  controllers: [HostController],
  providers: [HostHealthRepository, HostOrderService, HostRepository, HostService],
  exports: [HostHealthRepository, HostRepository, HostService],
})
export class HostModule {}
