import { applyDecorators } from '@nestjs/common';
import {
  SHADOWSOCKS_METHODS,
  type ShadowsocksMethod,
  USER_STATUSES,
  type UserStatus,
  VLESS_FLOWS,
  type VlessFlow,
} from '@rampart/domain';
import { IsDefined, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { REQUIRED, STRING } from '../../validation/messages.js';
import { IsMoment, type Moment } from '../../validation/moment.js';
import { RejectUnknownMembers } from '../../validation/reject-unknown-members.js';
import {
  MaxCharacters,
  OptionalBoolean,
  OptionalIdList,
  OptionalOneOf,
  OptionalOneOfSpelled,
  OptionalSeveralOf,
} from '../../validation/rules.js';

/** A hundred years in seconds. */
const MOST_SECONDS = 3_155_760_000;

/**
 * The users that a bulk call changes: those in `users`, or else those of the admins in `admins`, or else all that the
 * caller may change. The other members narrow this selection.
 */
@RejectUnknownMembers()
export abstract class UserBulk {
  /** The ids of users. Empty: nobody; null or absent: `admins` decides. */
  @OptionalIdList()
  users?: number[] | null;

  /** The ids of admins whose users are selected. Empty: nobody; null or absent: all users. */
  @OptionalIdList()
  admins?: number[] | null;

  /** Only users in at least one of these groups. Null, absent or empty: users of any groups. */
  @OptionalIdList()
  group_ids?: number[] | null;

  /** Only users in one of these states. Null, absent or empty: users in any state. */
  @OptionalSeveralOf(USER_STATUSES)
  status?: UserStatus[] | null;

  /** Only users whose end is at this moment or later. Null, 0 or absent: no lower limit. */
  @IsMoment()
  @IsOptional()
  expire_after?: Moment;

  /** Only users whose end is at this moment or earlier. Null, 0 or absent: no upper limit. */
  @IsMoment()
  @IsOptional()
  expire_before?: Moment;

  /** True: nothing changes, and the answer contains the number of users who would be changed. */
  @OptionalBoolean()
  dry_run?: boolean | null;
}

/** Decorator of a number that is added, or subtracted where it is negative. */
function Amount(most: number): PropertyDecorator {
  const message = { message: `Input should be an integer from -${most} to ${most}` };
  return applyDecorators(IsDefined(REQUIRED), IsInt(message), Min(-most, message), Max(most, message));
}

/** Seconds to add to the end of users who have one. */
export class BulkExpire extends UserBulk {
  /** The number of seconds; a negative number moves the ends to an earlier time. */
  @Amount(MOST_SECONDS)
  amount: number;
}

/** Bytes to add to the limit of users who have one; it does not fall below one byte. */
export class BulkDataLimit extends UserBulk {
  /** The number of bytes; a negative number lowers the limits. */
  @Amount(Number.MAX_SAFE_INTEGER)
  amount: number;
}

/** The settings of the credentials that are not secret, for many users. Null or absent members stay unchanged. */
export class BulkProxySettings extends UserBulk {
  /** The flow of VLESS; `none` is another spelling of the empty text. */
  @OptionalOneOfSpelled(VLESS_FLOWS, { none: '' })
  flow?: VlessFlow | null;

  /** The method of Shadowsocks. */
  @OptionalOneOf(SHADOWSOCKS_METHODS)
  method?: ShadowsocksMethod | null;
}

export class NewOwner {
  /** The name of the admin to whom the user will belong. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  admin_username: string;
}
