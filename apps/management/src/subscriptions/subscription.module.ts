import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { GroupModule } from '../groups/group.module.js';
import { HostModule } from '../hosts/host.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { HostSnapshot } from './host-snapshot.js';
import { PreviewController } from './preview/preview.controller.js';
import { PreviewService } from './preview/preview.service.js';
import { ServerStateReader } from './server-states.js';
import { SubscriptionController } from './subscription.controller.js';
import { SubscriptionService } from './subscription.service.js';
import { SubscriptionInfoService } from './subscription-info.service.js';
import { SubscriptionMetrics } from './subscription-metrics.js';
import { SubscriptionPageService } from './subscription-page.service.js';
import { SubscriptionReader } from './subscription-reader.js';
import { SubscriptionUpdateController } from './updates/subscription-update.controller.js';
import { SubscriptionUpdateRepository } from './updates/subscription-update.repository.js';
import { SubscriptionUpdateService } from './updates/subscription-update.service.js';
import { SubscriptionUpdateRecorder } from './updates/subscription-update-recorder.js';
import { UpdateTiming } from './updates/update-timing.js';

@Module({
  imports: [CoreStoreModule, GroupModule, HostModule, SettingsModule, UsageModule],
  controllers: [PreviewController, SubscriptionController, SubscriptionUpdateController],
  providers: [
    HostSnapshot,
    PreviewService,
    SubscriptionInfoService,
    SubscriptionMetrics,
    ServerStateReader,
    SubscriptionPageService,
    SubscriptionReader,
    SubscriptionService,
    SubscriptionUpdateRecorder,
    SubscriptionUpdateRepository,
    SubscriptionUpdateService,
    UpdateTiming,
  ],
})
export class SubscriptionModule {}
