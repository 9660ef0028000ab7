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
export type { Random } from './random.js';
export { resolveProxies, type SubscriptionRequest } from './resolve-proxies.js';
export type { ResolvedProxy } from './resolved-proxy.js';
export {
  contentType,
  renderSubscription,
  SUBSCRIPTION_FORMATS,
  type SubscriptionFormat,
} from './subscription-format.js';
