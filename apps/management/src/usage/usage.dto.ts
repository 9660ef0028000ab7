import { MAX_INT32 } from '@rampart/domain';
import { IsOptional, IsString } from 'class-validator';
import { STRINGS } from '../validation/messages.js';
import { IsMoment, QueriedMoment } from '../validation/moment.js';
import { BooleanText, IntegerText, Repeatable } from '../validation/query-values.js';
import { OptionalInteger, OptionalOneOf } from '../validation/rules.js';
import { PERIODS, type Period } from './usage-range.js';

/** A range of hours. */
export class UsageHours {
  /**
   * Hours that begin at this moment or later. Days and months are counted in its time zone, if it has one.
   */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  start?: number | string;

  /** Hours that begin before this moment. */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  end?: number | string;
}

export class UsageQuery extends UsageHours {
  /** The period by which traffic is summed up. Absent: `hour`; `minute` is answered with hours too. */
  @OptionalOneOf(PERIODS)
  period?: Period;

  /** Only traffic through the node of this id. */
  @OptionalInteger(1, MAX_INT32)
  @IntegerText()
  node_id?: number;

  /** Whether the answer lists nodes separately. */
  @BooleanText()
  group_by_node?: boolean;
}

export class UsersUsageQuery extends UsageQuery {
  /** User names of admins whose users are meant; the parameter may be repeated. Absent: all users that the caller may see. */
  @IsString({ each: true, ...STRINGS })
  @Repeatable()
  admin?: string[];
}

/** Traffic of a period. */
export interface UserUsageView {
  /** Bytes that were counted for users, coefficients included. */
  total_traffic: number;
  /**
   * When the period begins, in the zone of `start`.
   * @format date-time
   */
  period_start: string;
}

/** Traffic of a period through nodes. */
export interface NodeUsageView {
  /** Bytes that users sent. */
  uplink: number;
  /** Bytes that users received. */
  downlink: number;
  /**
   * When the period begins, in the zone of `start`.
   * @format date-time
   */
  period_start: string;
}

/** Traffic by periods and node. */
export interface UsageView<Usage> {
  /** The length of the periods. */
  period: Period;
  /**
   * The beginning of the range, included.
   * @format date-time
   */
  start: string;
  /**
   * The end of the range, excluded.
   * @format date-time
   */
  end: string;
  /** Periods by the id of a node, or by `-1` for all together; a period without traffic is not listed. */
  stats: Record<string, Usage[]>;
}
