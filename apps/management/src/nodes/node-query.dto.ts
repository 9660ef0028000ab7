import { Type } from 'class-transformer';
import { ArrayMaxSize, IsDefined, IsOptional, IsString } from 'class-validator';
import { REQUIRED, STRING } from '../http/messages.js';
import { OnlyKnownMembers } from '../http/only-known.js';
import { Page } from '../http/page.js';
import { BooleanText, Repeatable } from '../http/query-values.js';
import { IdList, MaxCharacters } from '../http/rules.js';
import type { NodeStatus } from './node.entity.js';
import { IsId, IsStatus } from './node-rules.js';

const MOST_NODES = 10_000;

/** Which nodes a list holds. `backend_id` is the name that existing clients use for the core's id. */
export class NodeQuery extends Page {
  @IsId()
  @Type(() => Number)
  @IsOptional()
  backend_id?: number;

  @IsId()
  @Type(() => Number)
  @IsOptional()
  core_id?: number;

  @IdList()
  @Repeatable(Number)
  ids?: number[];

  @IsStatus({ each: true })
  @Repeatable()
  status?: NodeStatus[];

  @BooleanText()
  enabled?: boolean;

  /** A part of the name or the address, in any case. */
  @MaxCharacters(256)
  @IsString(STRING)
  @IsOptional()
  search?: string;
}

@OnlyKnownMembers()
export class ReconnectQuery {
  @IsId()
  @Type(() => Number)
  @IsOptional()
  core_id?: number;
}

export class SyncQuery {
  /** Either way the node gets the full set, of which it applies what differs. */
  @BooleanText()
  flush_users?: boolean;
}

/** Unknown ids are nobody's. */
@OnlyKnownMembers()
export class NodeSelection {
  @ArrayMaxSize(MOST_NODES, { message: `Input should be a list of at most ${MOST_NODES} ids` })
  @IdList()
  @IsDefined(REQUIRED)
  ids: number[];
}

/** Whom a change of several nodes concerned, by name. */
export interface NodesView {
  nodes: string[];
  count: number;
}
