import { Module } from '@nestjs/common';
import { CoreModule } from '../cores/core.module.js';
import { HostModule } from '../hosts/host.module.js';
import { HostSnapshot } from './host-snapshot.js';
import { SubscriptionController } from './subscription.controller.js';
import { SubscriptionService } from './subscription.service.js';

@Module({
  imports: [CoreModule, HostModule],
  controllers: [SubscriptionController],
  providers: [HostSnapshot, SubscriptionService],
})
export class SubscriptionModule {}
