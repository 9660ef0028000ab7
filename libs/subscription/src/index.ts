export { type CompiledHost, type CompiledHosts, compileHosts } from './compile/compile-hosts.js';
export {
  contentType,
  renderDrawn,
  SUBSCRIPTION_FORMATS,
  type SubscriptionFormat,
} from './formats/subscription-format.js';
export {
  HOST_FINGERPRINTS,
  HOST_SECURITIES,
  type Host,
  type HostFingerprint,
  type HostSecurity,
} from './model/host.js';
export type { Random } from './random.js';
export { type SelectedProxy, type SubscriptionRequest, selectProxies } from './resolve/resolve-proxies.js';
export type { HostWarning, HostWarningCode } from './warnings/host-warning.js';
export { hostWarnings } from './warnings/host-warnings.js';
export { inboundWarnings } from './warnings/inbound-warnings.js';
