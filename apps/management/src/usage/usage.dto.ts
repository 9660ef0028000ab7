import { Type } from 'class-transformer';
import { IsOptional, IsString } from 'class-validator';
import { STRINGS } from '../http/messages.js';
import { IsMoment, type Moment, QueriedMoment } from '../http/moment.js';
import { BooleanText, Repeatable } from '../http/query-values.js';
import { OptionalInteger, OptionalOneOf } from '../http/rules.js';
import { PERIODS, type Period } from './usage-range.js';

/** Which hours are meant. */
export class UsageHours {
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  start?: Moment;

  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  end?: Moment;
}

export class UsageQuery extends UsageHours {
  @OptionalOneOf(PERIODS)
  period?: Period;

  @OptionalInteger(1, 2 ** 31 - 1)
  @Type(() => Number)
  node_id?: number;

  @BooleanText()
  group_by_node?: boolean;
}

export class UsersUsageQuery extends UsageQuery {
  /** User names of admins; repeated: of any of them. */
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  admin?: string[];
}

export interface UserUsageView {
  total_traffic: number;
  period_start: string;
}

export interface NodeUsageView {
  uplink: number;
  downlink: number;
  period_start: string;
}

/** By the ids of nodes, or all together under -1; a period without traffic is not listed. */
export interface UsageView<Usage> {
  period: Period;
  start: string;
  end: string;
  stats: Record<string, Usage[]>;
}
