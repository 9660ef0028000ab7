import { MAX_INT32 } from '@rampart/domain';
import type { NodeStatus } from '../nodes/store/node.entity.js';
import { IntegerText } from '../validation/query-values.js';
import { OptionalInteger } from '../validation/rules.js';
import type { CheckedCoreView } from './core.dto.js';

export class CoreCheckQuery {
  /** The id of the stored core that the configuration would replace. Absent: it would be a new core. */
  @OptionalInteger(1, MAX_INT32)
  @IntegerText()
  id?: number;
}

/** Why a configuration would be refused. */
export interface CoreProblem {
  /** The part of the configuration that is wrong, such as `inbounds[0]`; empty: the whole. */
  path: string;
  /** The code of the error with which a save would be answered. */
  code: 'CORE_REFUSED';
  /** The error in a sentence. */
  message: string;
}

/** The hosts, groups and users that a change of inbounds concerns, because they name the tags of these. */
export interface TouchedByTags {
  /** The hosts of the tags, by priority. */
  hosts: {
    /** The id of the host. */
    id: number;
    /** The name of the host in subscriptions. */
    remark: string;
    /** The tag of its inbound. */
    inbound_tag: string;
  }[];
  /** The groups that grant one of the tags, by id. */
  groups: {
    /** The id of the group. */
    id: number;
    /** The name of the group. */
    name: string;
  }[];
  /** How many users who are active or on hold are in one of these groups; disabled groups do not count. */
  users: number;
}

/** A node that runs the stored core. */
export interface TouchedNode {
  /** The id of the node. */
  id: number;
  /** The name of the node. */
  name: string;
  /** Whether management is connected to the node. */
  status: NodeStatus;
  /**
   * Why a restart of the core would cut all connections of the node. Null: they go on in the old engine until they end, unless
   * the node then lacks the memory for a second engine.
   */
  cut_reason: string | null;
}

/** What a save would change. */
export interface CoreDifference extends TouchedByTags {
  /** Tags of inbounds that only the new configuration offers. */
  added: string[];
  /** Tags of inbounds that the new configuration changes, for nodes or for clients. */
  changed: string[];
  /** Tags of inbounds that the new configuration no longer offers. */
  removed: string[];
  /** Whether nodes must be restarted for the change to take effect. */
  needs_restart: boolean;
  /** The nodes that run the stored core, by id. */
  nodes: TouchedNode[];
}

/** What a save of a core would say and change. Nothing was saved. */
export interface CoreCheckView {
  /** Why a save would be refused; empty: it would not. */
  errors: CoreProblem[];
  /** The warnings of a save; empty where it would be refused. */
  warnings: CheckedCoreView['warnings'];
  /** The difference to the stored core; null without `id`, and where the save would be refused. */
  difference: CoreDifference | null;
}
