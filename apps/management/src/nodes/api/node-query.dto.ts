import { ArrayMaxSize, IsDefined, IsOptional, IsString } from 'class-validator';
import { Page } from '../../http/page.js';
import { REQUIRED, STRING } from '../../validation/messages.js';
import { BooleanText, IntegerText, integerOf, Repeatable } from '../../validation/query-values.js';
import { RejectUnknownMembers } from '../../validation/reject-unknown-members.js';
import { IdList, MaxCharacters } from '../../validation/rules.js';
import type { NodeStatus } from '../store/node.entity.js';
import { IsId, IsStatus } from './node-rules.js';

const MAX_BULK_NODES = 10_000;

/** Which nodes a list holds. */
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

  /** Ids of nodes. */
  @IdList()
  @Repeatable(integerOf)
  ids?: number[];

  /** States, in any of which the nodes are. */
  @IsStatus({ each: true })
  @Repeatable()
  status?: NodeStatus[];

  /** True: only nodes that are not disabled; false: only those that are. */
  @BooleanText()
  enabled?: boolean;

  /** A part of the name or the address, in any case. */
  @MaxCharacters(256)
  @IsString(STRING)
  @IsOptional()
  search?: string;
}

@RejectUnknownMembers()
export class ReconnectQuery {
  /** Only nodes that run the core configuration of this id. Absent: all that are enabled. */
  @IsId()
  @IntegerText()
  @IsOptional()
  core_id?: number;
}

export class SyncQuery {
  /** Either way the node gets the full set, of which it applies what differs. */
  @BooleanText()
  flush_users?: boolean;
}

/** Some nodes. Unknown ids are nobody's. */
@RejectUnknownMembers()
export class NodeSelection {
  /** The ids of the nodes. */
  @ArrayMaxSize(MAX_BULK_NODES, { message: `Input should be a list of at most ${MAX_BULK_NODES} ids` })
  @IdList()
  @IsDefined(REQUIRED)
  ids: number[];
}

/** Whom a change of several nodes concerned, by name. */
export interface NodesView {
  /** The names of the nodes. */
  nodes: string[];
  /** How many they are. */
  count: number;
}
