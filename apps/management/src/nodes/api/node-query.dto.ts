import { ArrayMaxSize, IsDefined, IsOptional, IsString } from 'class-validator';
import { Page } from '../../http/page.js';
import { REQUIRED, STRING } from '../../validation/messages.js';
import { BooleanText, IntegerText, integerOf, Repeatable } from '../../validation/query-values.js';
import { RejectUnknownMembers } from '../../validation/reject-unknown-members.js';
import { IdList, MaxCharacters, OptionalBoolean } from '../../validation/rules.js';
import type { NodeStatus } from '../store/node.entity.js';
import { IsId, IsStatus } from './node-rules.js';

const MAX_BULK_NODES = 10_000;

/** Selects the nodes of a list. */
export class NodeQuery extends Page {
  /** Another name of `core_id`, which existing clients use. */
  @IsId()
  @IntegerText()
  @IsOptional()
  backend_id?: number;

  /** The id of the core configuration that the nodes run. */
  @IsId()
  @IntegerText()
  @IsOptional()
  core_id?: number;

  /** Only nodes with one of these ids. */
  @IdList()
  @Repeatable(integerOf)
  ids?: number[];

  /** Only nodes in one of these states. */
  @IsStatus({ each: true })
  @Repeatable()
  status?: NodeStatus[];

  /** True: only nodes that are not disabled; false: only those that are. */
  @BooleanText()
  enabled?: boolean;

  /** Only nodes whose name or address contains this text, in any case. */
  @MaxCharacters(256)
  @IsString(STRING)
  @IsOptional()
  search?: string;
}

@RejectUnknownMembers()
export class ReconnectQuery {
  /** Only nodes that run the core configuration with this id. Absent: all enabled nodes. */
  @IsId()
  @IntegerText()
  @IsOptional()
  core_id?: number;

  /** True: nothing changes, and the answer tells how many nodes would be reconnected. */
  @BooleanText()
  dry_run?: boolean;
}

export class SyncQuery {
  /** Has no effect: the node always gets the full set, of which it applies the differences. */
  @BooleanText()
  flush_users?: boolean;
}

/** Several nodes. Unknown ids are ignored. */
@RejectUnknownMembers()
export class NodeSelection {
  /** The ids of the nodes. */
  @ArrayMaxSize(MAX_BULK_NODES, { message: `Input should be a list of at most ${MAX_BULK_NODES} ids` })
  @IdList()
  @IsDefined(REQUIRED)
  ids: number[];

  /** True: nothing changes, and the answer is that of the change. */
  @OptionalBoolean()
  dry_run?: boolean | null;
}

/** The nodes that a change of several nodes has affected. */
export interface NodesView {
  /** The names of the nodes. */
  nodes: string[];
  /** The number of these nodes. */
  count: number;
}

/** What a reconnection of all nodes would do; empty after it was done. */
export interface ReconnectView {
  /** True: nothing was changed. */
  dry_run?: boolean;
  /** How many nodes the call would reconnect. */
  affected_nodes?: number;
}
