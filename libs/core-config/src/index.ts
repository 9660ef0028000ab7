export type { CoreConfig } from './core-config.js';
export { type EngineConfig, engineConfig } from './engine-config.js';
export type { ReadCertificate } from './offer/certificate.js';
export {
  ALPN_PROTOCOLS,
  type Alpn,
  NETWORKS,
  type Network,
  nodeTag,
  type OfferedInbound,
  type Protocol,
  type RealityOptions,
} from './offer/offered-inbound.js';
export { limitsTwice } from './offer/xhttp-extra.js';
export { type CoreConfigOptions, parseCoreConfig } from './parse-core-config.js';
export { CoreConfigError, UnreadableCoreConfigError } from './read/core-config-error.js';
export { foldCase } from './read/fold-case.js';
export { isFragment } from './read/fragment-mask.js';
export { isJsonObject, type JsonObject } from './read/json-cursor.js';
export { type Ports, portAt, portCount } from './read/ports.js';
export { keyShareDemand, realityTags } from './warnings/key-share.js';
export type { CoreConfigWarning } from './warnings/warning.js';
