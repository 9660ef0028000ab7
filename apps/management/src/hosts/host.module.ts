import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { HostController } from './host.controller.js';
import { HostRepository } from './host.repository.js';
import { HostService } from './host.service.js';

@Module({
  imports: [CoreStoreModule],
  controllers: [HostController],
  providers: [HostRepository, HostService],
  exports: [HostService],
})
export class HostModule {}
