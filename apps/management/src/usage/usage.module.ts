import { Module } from '@nestjs/common';
import { ClearUsageService } from './clear-usage.service.js';
import { TrafficRepository } from './traffic.repository.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';
import { UsageRetention } from './usage-retention.js';
import { UsageRevertRepository } from './usage-revert.repository.js';

@Module({
  controllers: [UsageController],
  providers: [
    ClearUsageService,
    TrafficRepository,
    UsageRepository,
    UsageRetention,
    UsageRevertRepository,
    UsageService,
  ],
  exports: [TrafficRepository, UsageRepository, UsageRevertRepository, UsageService],
})
export class UsageModule {}
