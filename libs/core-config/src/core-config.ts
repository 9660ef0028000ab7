import type { OfferedInbound } from './offer/offered-inbound.js';
import type { JsonObject } from './read/json-cursor.js';
import type { CoreConfigWarning } from './warnings/warning.js';

/** A configuration that has been checked. */
export interface CoreConfig {
  /** As it came in, with its key order and all unknown keys. */
  readonly config: JsonObject;
  /** What hosts and groups can refer to, in the order of the configuration. */
  readonly inbounds: readonly OfferedInbound[];
  readonly warnings: readonly CoreConfigWarning[];
}
