import {
  type ListenSettings,
  type LogFormat,
  LogFormatSetting,
  type LogLevel,
  LogLevelSetting,
  MetricsHostSetting,
  MetricsPortSetting,
  MetricsTokenSetting,
  metricsAddressOf,
} from '@rampart/program';
import { Matches } from 'class-validator';
import { AccessEnv } from './access-env.js';

const PREFIX = 'RAMPART';

/** Settings of the log, and of the port for Prometheus and health checks; `ManagementEnv` is the end of this chain of classes. */
export class MetricsEnv extends AccessEnv {
  @LogLevelSetting()
  readonly logLevel: LogLevel;

  @LogFormatSetting()
  readonly logFormat: LogFormat;

  @MetricsPortSetting(PREFIX)
  readonly metricsPort: number | undefined;

  @MetricsHostSetting(PREFIX)
  @Matches(/^[\w.:-]+$/, { message: 'must be an IP address or a host name' })
  readonly metricsHost: string;

  @MetricsTokenSetting(PREFIX)
  readonly metricsToken: string | undefined;

  /** Where metrics are served; undefined: nowhere. */
  get metricsAddress(): ListenSettings | undefined {
    return metricsAddressOf(PREFIX, this);
  }
}
