import { IsDefined, IsOptional } from 'class-validator';
import { REQUIRED } from '../../validation/messages.js';
import { MOMENT, type Moment, momentOf } from '../../validation/moment.js';
import { RejectUnknownMembers } from '../../validation/reject-unknown-members.js';
import { Rule } from '../../validation/rule.js';
import { OptionalBoolean } from '../../validation/rules.js';

const HOUR_MS = 3_600_000;

/** Usage is kept by hours of UTC, so only whole ones can be taken back. */
const IsHour = (): PropertyDecorator =>
  Rule(
    'isHour',
    { type: ['integer', 'string'], minimum: 0, pattern: MOMENT.source },
    { validate: isHour },
    { message: 'Input should be the beginning of an hour of UTC, as usage is kept by hours: 2026-12-31T14:00:00Z' },
  );

function isHour(value: unknown): boolean {
  const moment = momentOf(value);
  return moment != null && moment.getTime() % HOUR_MS === 0;
}

/** The hours of which the traffic that a node has reported is taken back. */
@RejectUnknownMembers()
export class UsageRevert {
  /** The beginning of the first hour. */
  @IsHour()
  @IsDefined(REQUIRED)
  from: Moment;

  /** The end of the last hour. Null or absent: everything until now. */
  @IsHour()
  @IsOptional()
  to?: Moment;

  /** True: nothing changes, and the answer tells what would be taken back. */
  @OptionalBoolean()
  dry_run?: boolean;
}

/** What was taken back. */
export interface UsageRevertView {
  /**
   * The beginning of the first hour.
   * @format date-time
   */
  from: string;
  /**
   * The end of the last hour.
   * @format date-time
   */
  to: string;
  /** True: nothing was changed. */
  dry_run: boolean;
  /** Users whose counters were changed. */
  affected_users: number;
  /** Admins whose counters were changed. */
  affected_admins: number;
  /** Bytes that were taken from the counters of users, coefficients included. */
  user_bytes: number;
  /** Bytes that were taken from the counters of admins, coefficients included. */
  admin_bytes: number;
  /** Raw bytes that were taken from the counters of the node: what users have sent. */
  uplink: number;
  /** Raw bytes that were taken from the counters of the node: what users have received. */
  downlink: number;
  /** Users who were at their limit and are served again. */
  reactivated_users: number;
  /**
   * Names of users, at most 100, who became active in these hours and have no traffic left: where one of them was on hold
   * before, its time has begun, and only an admin knows how long the hold was to be.
   */
  possible_holds: string[];
}
