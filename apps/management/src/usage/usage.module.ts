import { Module } from '@nestjs/common';
import { ClearUsageService } from './clear-usage.service.js';
import { UsageController } from './usage.controller.js';
import { UsageService } from './usage.service.js';
import { UsageRetention } from './usage-retention.js';

@Module({
  controllers: [UsageController],
  providers: [ClearUsageService, UsageRetention, UsageService],
  exports: [UsageService],
})
export class UsageModule {}
