import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { XrayBackend } from './backend/xray/xray.backend.js';
import type { NodeSettings } from './env/node.settings.js';
import { NodeError } from './errors/node-error.js';
import { LogRing } from './logs/log-ring.js';
import { NodeLog, type Output } from './logs/node-log.js';
import { NodeService } from './node.service.js';
import { NodeState } from './node.state.js';
import { Session } from './session/session.js';
import { Statistics } from './stats/statistics.js';
import { SystemSampler } from './stats/system-sampler.js';
import type { EnrolledCertificate } from './tls/enrolled-certificate.js';
import { TrafficMeter } from './traffic/traffic-meter.js';
import { TrafficStore } from './traffic/traffic-store.js';

/** Everything behind the transports; it exports the service, and the log for their messages. */
@Module({})
export class NodeModule {
  static forRoot(settings: NodeSettings, certificate?: EnrolledCertificate): DynamicModule {
    return {
      module: NodeModule,
      providers: [
        { provide: NodeLog, useFactory: () => createNodeLog(settings, new Logger('Node')) },
        {
          provide: NodeService,
          useFactory: (log: NodeLog) => createNodeService(settings, log, certificate),
          inject: [NodeLog],
        },
      ],
      exports: [NodeService, NodeLog],
    };
  }
}

/** Creates all parts and connects them. Nothing runs until the application starts or a call comes. */
export function createNodeService(
  settings: NodeSettings,
  log = createNodeLog(settings),
  certificate?: EnrolledCertificate,
): NodeService {
  const { ring } = log;
  const traffic = new TrafficStore({ isServed: (email) => !session.started || backend.users.hasUser(email) });
  const backend: XrayBackend = new XrayBackend(settings, {
    log: (line) => ring.appendLine(line),
    note: (text) => log.note(text),
    warn: (text) => log.warn(text),
    lastTraffic: (reading) => void traffic.recordTraffic(reading),
    runs: traffic,
  });
  const meter = new TrafficMeter(
    () => backend.readTraffic(),
    traffic,
    (error) => log.warn(`traffic was not read: ${NodeError.from(error).message}`),
    settings.drainIntervalMs,
  );
  const sampler = new SystemSampler();
  sampler.startSampling();
  const statistics = new Statistics(backend.statistics, sampler);
  const state = new NodeState({
    dataDir: settings.dataDir,
    traffic,
    meter,
    served: () => backend.users,
    onWarning: (text) => log.warn(text),
    takesOver: settings.takesOver ?? false,
    onTakeOver: () => service.giveWay(),
  });
  const session: Session = new Session(backend, meter, log, state.session);
  const keepsEngine = (settings.keepSeconds ?? 0) > 0;
  const service = new NodeService(session, backend, meter, traffic, ring, statistics, state, keepsEngine, certificate);
  return service;
}

function createNodeLog({ maxLogReaders }: NodeSettings, output?: Output): NodeLog {
  return new NodeLog(new LogRing({ maxReaders: maxLogReaders }), output);
}
