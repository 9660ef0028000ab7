import { type DynamicModule, Module } from '@nestjs/common';
import { XrayBackend } from './backend/xray/xray.backend.js';
import { NodeError } from './errors/node-error.js';
import { LogRing } from './logs/log-ring.js';
import { NodeService } from './node.service.js';
import type { NodeSettings } from './node.settings.js';
import { Session } from './session/session.js';
import { NodeState } from './state/node-state.js';
import { Statistics } from './stats/statistics.js';
import { SystemSampler } from './stats/system-sampler.js';
import { TrafficMeter } from './traffic/traffic-meter.js';

/** The engine room: everything behind the doors. `NodeService` is its only export. */
@Module({})
export class NodeModule {
  static forRoot(settings: NodeSettings): DynamicModule {
    return {
      module: NodeModule,
      providers: [{ provide: NodeService, useFactory: () => createNodeService(settings) }],
      exports: [NodeService],
    };
  }
}

/** Puts the parts together. Nothing runs before the application does or somebody starts something. */
export function createNodeService(settings: NodeSettings): NodeService {
  const logs = new LogRing({ maxReaders: settings.maxLogReaders });
  const traffic: TrafficMeter = new TrafficMeter(
    () => backend.readTraffic(),
    (error) => logs.append(`[rampart] traffic was not read: ${NodeError.from(error).message}`),
    settings.drainIntervalMs,
  );
  const backend = new XrayBackend(settings, {
    log: (line) => logs.append(line),
    traffic: (reading) => traffic.add(reading),
  });
  const sampler = new SystemSampler();
  sampler.run();
  const statistics = new Statistics(backend.statistics, sampler);
  const state = new NodeState({
    dataDir: settings.dataDir,
    traffic,
    served: () => backend.users,
    onWarning: (text) => logs.append(`[rampart] ${text}`),
  });
  const session = new Session(backend, traffic, logs, state.session);
  return new NodeService(session, backend, traffic, logs, statistics, state);
}
