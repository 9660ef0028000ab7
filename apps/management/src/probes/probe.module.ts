import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { HostModule } from '../hosts/host.module.js';
import { NodeModule } from '../nodes/node.module.js';
import { SettingsModule } from '../settings/settings.module.js';
import { HostProber } from './host-prober.js';
import { HostRounds } from './host-rounds.js';
import { OwnMachine } from './own-machine.js';
import { ProbeController } from './probe.controller.js';
import { ProbeService } from './probe.service.js';
import { ProbeMetrics } from './probe-metrics.js';
import { ProbeSchedule } from './probe-schedule.js';
import { ProbeTargetController } from './probe-target.controller.js';
import { ProbeTarget } from './probe-target.js';
import { ProbeTiming } from './probe-timing.js';
import { ProbeUserService } from './probe-user.service.js';
import { Viewpoints } from './viewpoints.js';

@Module({
  imports: [CoreStoreModule, HostModule, NodeModule, SettingsModule],
  controllers: [ProbeController, ProbeTargetController],
  providers: [
    HostProber,
    HostRounds,
    OwnMachine,
    ProbeMetrics,
    ProbeSchedule,
    ProbeService,
    ProbeTarget,
    ProbeTiming,
    ProbeUserService,
    Viewpoints,
  ],
})
export class ProbeModule {}
