import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { NodeController } from './api/node.controller.js';
import { NodeService } from './api/node.service.js';
import { NodeBulkService } from './api/node-bulk.service.js';
import { NodeCommandService } from './api/node-command.service.js';
import { NodeEnrolmentService } from './api/node-enrolment.service.js';
import { NodeListService } from './api/node-list.service.js';
import { NodeLiveController } from './api/node-live.controller.js';
import { NodeLiveService } from './api/node-live.service.js';
import { NodeRequestChecks } from './api/node-request-checks.js';
import { UsageRevertService } from './api/usage-revert.service.js';
import { AuthorityRepository } from './authority/authority.repository.js';
import { AuthorityTiming } from './authority/authority-timing.js';
import { NodeCertificates } from './authority/node-certificates.js';
import { ApiKeyRepository } from './connection/api-key.repository.js';
import { NameLookups } from './connection/name-lookups.js';
import { NodeAddresses } from './connection/node-addresses.js';
import { NodeConnector } from './connection/node-connector.js';
import { NodeReadClient } from './connection/node-read-client.js';
import { NodeLogService } from './logs/node-log.service.js';
import { NodeRepository } from './store/node.repository.js';
import { NodeCoreRepository } from './store/node-core.repository.js';
import { NodeTotalsRepository } from './store/node-totals.repository.js';
import { NodeMetrics } from './sync/node-metrics.js';
import { NodeSyncRepository } from './sync/node-sync.repository.js';
import { NodeSyncContext } from './sync/node-sync-context.js';
import { NodeSyncManager } from './sync/node-sync-manager.js';
import { NodeTiming } from './sync/node-timing.js';
import { StartRequestBuilder } from './sync/start-request-builder.js';
import { CounterReadingRepository } from './traffic/counter-reading.repository.js';
import { NodeTrafficRepository } from './traffic/node-traffic.repository.js';
import { PastTagsRetention } from './traffic/past-tags-retention.js';
import { TrafficStores } from './traffic/traffic-stores.js';

@Module({
  imports: [CoreStoreModule, UsageModule],
  controllers: [NodeController, NodeLiveController],
  providers: [
    ApiKeyRepository,
    AuthorityRepository,
    AuthorityTiming,
    CounterReadingRepository,
    NameLookups,
    NodeAddresses,
    NodeBulkService,
    NodeCertificates,
    NodeRequestChecks,
    NodeCommandService,
    NodeConnector,
    NodeCoreRepository,
    NodeEnrolmentService,
    NodeListService,
    NodeLiveService,
    NodeLogService,
    NodeMetrics,
    NodeReadClient,
    NodeRepository,
    NodeService,
    NodeSyncContext,
    NodeSyncManager,
    NodeSyncRepository,
    NodeTiming,
    NodeTotalsRepository,
    NodeTrafficRepository,
    PastTagsRetention,
    StartRequestBuilder,
    TrafficStores,
    UsageRevertService,
  ],
  exports: [
    NameLookups,
    NodeAddresses,
    NodeConnector,
    NodeCoreRepository,
    NodeReadClient,
    NodeRepository,
    NodeSyncManager,
    NodeTotalsRepository,
  ],
})
export class NodeModule {}
