export { compileHosts } from './compile/compile-hosts.js';
export { contentType, SUBSCRIPTION_FORMATS, type SubscriptionFormat } from './formats/subscription-format.js';
export type { CompiledHost, CompiledHosts, HostCompileProblem } from './model/compiled-host.js';
export {
  HOST_FINGERPRINTS,
  HOST_SECURITIES,
  type Host,
  type HostFingerprint,
  type HostSecurity,
  PLAIN_HOST,
} from './model/host.js';
export type { Random } from './model/selected-proxy.js';
export { PROBE_CLIENTS, type ProbeClient } from './probes/as-client.js';
export { type HostProbe, type HostProbes, type HostProbesRequest, hostProbes } from './probes/host-probes.js';
export {
  type RenderedSubscription,
  renderSubscription,
  type Subscriber,
  type SubscriptionRequest,
  type SubscriptionSnapshot,
} from './render-subscription.js';
export { TemplateCache } from './templates/template-cache.js';
export type { HostWarning, HostWarningCode } from './warnings/host-warning.js';
export { hostWarnings, inboundWarnings } from './warnings/host-warnings.js';
