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
import { IsIP } from 'class-validator';

const PREFIX = 'RAMPART_NODE';

/** Settings of the log, and of the port for Prometheus and health checks; `NodeEnv` has all others. */
export class MetricsEnv {
  @LogLevelSetting()
  readonly logLevel: LogLevel;

  @LogFormatSetting()
  readonly logFormat: LogFormat;

  @MetricsPortSetting(PREFIX)
  readonly metricsPort: number | undefined;

  @MetricsHostSetting(PREFIX)
  @IsIP(undefined, { message: 'must be an IP address, such as 0.0.0.0 or ::' })
  readonly metricsHost: string;

  @MetricsTokenSetting(PREFIX)
  readonly metricsToken: string | undefined;

  /** Where metrics are served; undefined: nowhere. */
  get metricsAddress(): ListenSettings | undefined {
    return metricsAddressOf(PREFIX, this);
  }
}
