export { withoutWiringLines } from './log/nest-log.js';
export { rateLimitedLog } from './log/rate-limited-log.js';
export { messageOf, OperatorError } from './process/operator-error.js';
export { runCommand, runProgram } from './process/run-program.js';
export { IsBetween, NeedsSetting, parseBoolean, parseInteger, parseList } from './settings/setting-rules.js';
export {
  type Environment,
  readSecret,
  readSettings,
  Setting,
  SettingsError,
  settingsTable,
} from './settings/settings.js';
export { LOOPBACK_NETWORKS, networkMatcher, peerNetworkOf } from './sockets/address-network.js';
export { isClientDisconnect, whenResponseCloses } from './sockets/client-disconnect.js';
export { ConnectionLimiter, type ConnectionLimiterOptions, type Peer } from './sockets/connection-limiter.js';
export { type Listener, type ListenSettings, listen } from './sockets/listen.js';
export { openFileLimit, socketLimit } from './sockets/open-file-limit.js';
export { type Certificate, CertificateError, type NamedFile, readCertificate, readPem } from './tls/certificate.js';
export { type CertificateWatchOptions, watchCertificate } from './tls/certificate-watch.js';
export { TLS_OPTIONS } from './tls/tls-options.js';
