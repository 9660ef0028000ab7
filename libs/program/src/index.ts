export { Command, InvalidArgumentError } from 'commander';
export {
  type CommandAnswer,
  createCommandLine,
  isJson,
  printing,
  runCommandLine,
} from './command-line/command-line.js';
export { EXIT_CODES, UnreachableError } from './command-line/exit-codes.js';
export { textList, textTable } from './command-line/text-table.js';
export { CHECK_STATES, type Check, type CheckState, checkReport, ok, warning, wrong } from './doctor/check.js';
export { checkCertificate } from './doctor/check-certificate.js';
export { checkClock } from './doctor/check-clock.js';
export { checkDisk } from './doctor/check-disk.js';
export { checkPortIsFree } from './doctor/check-port.js';
export { Health, type HealthCheck, type HealthReport, healthStatus } from './health/health.js';
export type { LogFormat, LogLevel } from './log/log-level.js';
export { withoutWiringLines } from './log/nest-log.js';
export { printable } from './log/printable.js';
export { OwnLines, ProgramLogger, type ProgramLoggerOptions } from './log/program-logger.js';
export { rateLimitedLog } from './log/rate-limited-log.js';
export { withRequestId } from './log/request-id.js';
export {
  listenForMetrics,
  MetricsServer,
  type MetricsServerOptions,
  type MetricsSettings,
} from './metrics/metrics-server.js';
export { ProgramMetrics } from './metrics/program-metrics.js';
export { type AnsweredRequest, requestDurations } from './metrics/request-durations.js';
export { DelayedGarbageCollection } from './process/delayed-gc.js';
export { messageOf, OperatorError } from './process/operator-error.js';
export { runCommand, runProgram } from './process/run-program.js';
export { redactor } from './secrets/redact.js';
export { describeSettings, type SettingDescription } from './settings/describe-settings.js';
export { LogFormatSetting, LogLevelSetting } from './settings/log-settings.js';
export {
  MetricsHostSetting,
  MetricsPortSetting,
  MetricsTokenSetting,
  metricsAddressOf,
  type SettingPrefix,
} from './settings/metrics-settings.js';
export {
  AreNetworks,
  IsBetween,
  isNetwork,
  NeedsSetting,
  parseBoolean,
  parseInteger,
  parseList,
} from './settings/setting-rules.js';
export {
  type Environment,
  readSecret,
  readSettings,
  Setting,
  SettingsError,
  secretValues,
  settingsTable,
} from './settings/settings.js';
export { checkSettings, settingsReport } from './settings/settings-report.js';
export { LOOPBACK_NETWORKS, networkMatcher, peerNetworkOf, siteNetworkOf } from './sockets/address-network.js';
export { isClientDisconnect, whenResponseCloses } from './sockets/client-disconnect.js';
export { ConnectionLimiter, type ConnectionLimiterOptions, type Peer } from './sockets/connection-limiter.js';
export { FolderLock } from './sockets/folder-lock.js';
export { type Listener, type ListenSettings, listen } from './sockets/listen.js';
export { openFileLimit, socketLimit } from './sockets/open-file-limit.js';
export { addressFromHere, publicAddresses, reachableHost } from './sockets/own-address.js';
export { withShortPath } from './sockets/unix-path.js';
export { type Certificate, CertificateError, type NamedFile, readCertificate, readPem } from './tls/certificate.js';
export { type CertificateWatchOptions, watchCertificate } from './tls/certificate-watch.js';
export { TLS_OPTIONS } from './tls/tls-options.js';
