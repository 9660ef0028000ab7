import { type Handover, handoversOf, type Inbound } from '@rampart/core-config';
import type { BackendConfig } from '../../../backend.js';
import { withObservatory } from '../api-access.js';
import { type Capability, capabilitiesOf } from '../capabilities.js';
import { certificatesOf, type InboundCertificate } from '../certificates.js';
import { checkConfig } from '../checks/check-config.js';
import { editConfig } from '../edits/edit-config.js';
import { type Endpoint, endpointsOf } from '../endpoints.js';
import { faultsNamed, type KnownFault } from '../faults/known-faults.js';
import { type GeoList, geoListsOf } from '../geo-lists.js';
import type { JsonObject } from '../json-tree.js';
import { type ManagedInbound, managedInbounds } from '../managed-inbound.js';
import { type NodeConfig, readNodeConfig } from '../node-config.js';

/** A configuration that is ready for the engine, except for what differs between runs: users and the channel to the API. */
export interface EnginePlan {
  /** What it was made from. */
  readonly source: BackendConfig;
  /** Names of the faults of the engine whose features are left out. */
  readonly leftOut: readonly string[];
  readonly tree: JsonObject;
  readonly apiServices: readonly string[];
  /** The inbounds whose users the node keeps, by tag. */
  readonly inbounds: ReadonlyMap<string, ManagedInbound>;
  readonly endpoints: readonly Endpoint[];
  /** How each inbound is handed over, by tag; inbounds without a tag are under "". */
  readonly handovers: ReadonlyMap<string, Handover>;
  /** Tags of inbounds whose live connections can still open streams for the users of a closed listener. */
  readonly streamingTags: ReadonlySet<string>;
  /** Tags of inbounds whose clients spread the requests of one session over several connections. */
  readonly spreadingTags: ReadonlySet<string>;
  /** The certificates of TLS inbounds; those in files have not been read. */
  readonly certificates: readonly InboundCertificate[];
  /** Lists that rules take from geo files. */
  readonly geoLists: readonly GeoList[];
  /** The Linux capabilities that the engine needs. */
  readonly capabilities: readonly Capability[];
}

/**
 * Reads, checks, edits and plans a configuration, in this order. Throws CONFIG_REFUSED when it cannot work.
 * @param leftOut names of the faults of the engine whose features are left out
 */
export function planConfig(sent: BackendConfig, leftOut: readonly string[] = []): EnginePlan {
  const whole = readNodeConfig(sent);
  checkConfig(whole);
  const faults = faultsNamed(leftOut);
  const config = faults.length === 0 ? whole : readNodeConfig(withoutFeatures(sent, whole.tree, faults));
  return { source: sent, leftOut: faults.map(({ name }) => name), ...planOf(config, editConfig(config)) };
}

function withoutFeatures(sent: BackendConfig, tree: JsonObject, faults: readonly KnownFault[]): BackendConfig {
  return { ...sent, text: JSON.stringify(faults.reduce((edited, fault) => fault.leaveOut(edited), tree)) };
}

function planOf(
  { inbounds, excluded, apiServices, observers }: NodeConfig,
  tree: JsonObject,
): Omit<EnginePlan, 'source' | 'leftOut'> {
  const managed = managedInbounds(inbounds, excluded);
  return {
    tree,
    apiServices: observers.length === 0 ? apiServices : withObservatory(apiServices),
    inbounds: new Map(managed.map((inbound) => [inbound.tag, inbound])),
    endpoints: inbounds.flatMap(endpointsOf),
    handovers: handoversOf({ inbounds }),
    streamingTags: tagSet(inbounds.filter(({ keepsStreaming }) => keepsStreaming)),
    spreadingTags: tagSet(inbounds.filter(({ spreadsSessions }) => spreadsSessions)),
    certificates: inbounds.flatMap(certificatesOf),
    geoLists: geoListsOf(tree),
    capabilities: capabilitiesOf(tree),
  };
}

const tagSet = (inbounds: readonly Inbound[]): ReadonlySet<string> => new Set(inbounds.map(({ tag }) => tag));
