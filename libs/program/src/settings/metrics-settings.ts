import { IsOptional, Matches, MinLength } from 'class-validator';
import type { ListenSettings } from '../sockets/listen.js';
import { allOf } from './all-of.js';
import { IsBetween, parseInteger } from './setting-rules.js';
import { Setting } from './settings.js';

/** The prefix of the settings of a program: `RAMPART_METRICS_PORT` of management, `RAMPART_NODE_METRICS_PORT` of a node. */
export type SettingPrefix = 'RAMPART' | 'RAMPART_NODE';

/** Property decorator: the setting of the port for metrics and health checks, a number or undefined. */
export const MetricsPortSetting = (prefix: SettingPrefix): PropertyDecorator =>
  allOf(
    Setting({
      name: `${prefix}_METRICS_PORT`,
      help: 'port for /metrics, /health/live and /health/ready, over plain HTTP; by default there is none',
      parse: parseInteger,
    }),
    IsOptional(),
    IsBetween(0, 65_535),
  );

/** Property decorator: the setting of the address to listen on with that port, a string. */
export const MetricsHostSetting = (prefix: SettingPrefix): PropertyDecorator =>
  Setting({ name: `${prefix}_METRICS_HOST`, help: 'address to listen on with that port', fallback: '127.0.0.1' });

/** Property decorator: the setting of the token that shows metrics, a string or undefined. */
export const MetricsTokenSetting = (prefix: SettingPrefix): PropertyDecorator =>
  allOf(
    Setting({
      name: `${prefix}_METRICS_TOKEN`,
      help: 'token that Prometheus must send for /metrics, at least 16 characters; by default everybody may read them',
      secret: true,
    }),
    IsOptional(),
    MinLength(16, { message: 'must have at least 16 characters' }),
    Matches(/^\S+$/, { message: 'must not contain spaces' }),
  );

/** Where metrics are served; undefined: nowhere. */
export function metricsAddressOf(
  prefix: SettingPrefix,
  { metricsHost: host, metricsPort: port }: { metricsHost: string; metricsPort: number | undefined },
): ListenSettings | undefined {
  if (port === undefined) return undefined;
  return { host, port, hostSetting: `${prefix}_METRICS_HOST`, portSetting: `${prefix}_METRICS_PORT` };
}
