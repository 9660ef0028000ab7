import type { OfferedInbound } from './offer/offered-inbound.js';
import type { JsonObject } from './read/json-cursor.js';
import type { CoreConfigWarning } from './warnings/warning.js';

/** A configuration that has been checked. */
export interface CoreConfig {
  /** The configuration as it was sent, with its key order, its spelling of keys and all unknown keys. */
  readonly config: JsonObject;
  /** The same configuration with the engine's spelling of all known keys. */
  readonly tree: JsonObject;
  /** The inbounds that hosts and groups can refer to, in the order of the configuration. */
  readonly inbounds: readonly OfferedInbound[];
  /** Inbounds of a stored configuration that are neither offered nor sent to nodes, because they are refused today. */
  readonly refused: readonly RefusedInbound[];
  readonly warnings: readonly CoreConfigWarning[];
}

/** An inbound that was accepted once and would be refused today. */
export interface RefusedInbound {
  readonly tag: string;
  /** The path of the value that is wrong, such as `inbounds[0].settings`. */
  readonly path: string;
  readonly message: string;
}
