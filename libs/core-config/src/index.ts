export type { ReadCertificate } from './certificate.js';
export { CoreConfigError, UnreadableCoreConfigError } from './core-config-error.js';
export { type EngineConfig, engineConfig } from './engine-config.js';
export { isFragment } from './fragment-mask.js';
export {
  ALPN_PROTOCOLS,
  type Alpn,
  NETWORKS,
  type Network,
  nodeTag,
  type OfferedInbound,
  type Protocol,
  type RealityOptions,
} from './inbound.js';
export { isJsonObject, type JsonObject } from './json.js';
export { keyShareDemand, realityTags } from './key-share.js';
export { type CoreConfig, type CoreConfigOptions, parseCoreConfig } from './parse-core-config.js';
export { type Ports, portAt, portCount } from './ports.js';
export type { CoreConfigWarning } from './warnings.js';
export { limitsTwice } from './xhttp-extra.js';
