export type { CoreConfig, RefusedInbound } from './core-config.js';
export { type EngineConfig, engineConfig } from './engine-config.js';
export {
  blockedNetworks,
  MAX_ALLOWED_NETWORKS,
  networksHave,
  networkText,
} from './networks/private-networks.js';
export type { ReadCertificate } from './offer/certificate.js';
export {
  ALPN_PROTOCOLS,
  type Alpn,
  nodeTag,
  type OfferedInbound,
  type Protocol,
  type RealityOptions,
} from './offer/offered-inbound.js';
export { readsAddresses, trustedHeaders } from './offer/trusted-headers.js';
export { limitsTwice } from './offer/xhttp-extra.js';
export { type CoreConfigOptions, parseCoreConfig } from './parse-core-config.js';
export { CoreConfigError, UnreadableCoreConfigError } from './read/core-config-error.js';
export { foldCase } from './read/fold-case.js';
export { isFragment } from './read/fragment-mask.js';
export type { Handover } from './read/handover.js';
export type { Inbound, Transport } from './read/inbound.js';
export { isJsonObject, type JsonObject } from './read/json-cursor.js';
export { machineAccess } from './read/machine-access.js';
export { NETWORKS, type Network } from './read/networks.js';
export { namesUsers, PortalRules, portalsOf } from './read/portals.js';
export { type Ports, portAt, portCount } from './read/ports.js';
export { type EngineSource, readConfig } from './read/read-config.js';
export { isReserved, RESERVED_PREFIX } from './read/reserved-names.js';
export { handoversOf, type ReplacedConfig, restartReason, tagsWithHandover } from './read/restart-reason.js';
export { keyShareDemand, realityTags } from './warnings/key-share.js';
export type { CoreConfigWarning } from './warnings/warning.js';
