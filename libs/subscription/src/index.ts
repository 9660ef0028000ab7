export { type CompiledHost, type CompiledHosts, compileHosts } from './compile-hosts.js';
export {
  HOST_FINGERPRINTS,
  HOST_SECURITIES,
  type Host,
  type HostFingerprint,
  type HostSecurity,
} from './host.js';
export type { HostWarning, HostWarningCode } from './host-warning.js';
export { hostWarnings } from './host-warnings.js';
export { inboundWarnings } from './inbound-warnings.js';
export type { Random } from './random.js';
export { type DrawnProxy, drawProxies, type SubscriptionRequest } from './resolve-proxies.js';
export {
  contentType,
  renderDrawn,
  SUBSCRIPTION_FORMATS,
  type SubscriptionFormat,
} from './subscription-format.js';
