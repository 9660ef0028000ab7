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

/** A hundred years. */
const MOST_SECONDS = 3_155_760_000;

/**
 * Whom a call means. With `users` those users are meant, else with `admins` the users of those admins, else all that
 * the caller may change; the other members narrow that.
 */
@RejectUnknownMembers()
export abstract class UserBulk {
  /** The ids of users. Empty: nobody; null or absent: `admins` decides. */
  @OptionalIdList()
  users?: number[] | null;

  /** The ids of admins, whose users are meant. Empty: nobody; null or absent: all users. */
  @OptionalIdList()
  admins?: number[] | null;

  /** Only users in at least one of these groups. Null, absent or empty: whatever their groups. */
  @OptionalIdList()
  group_ids?: number[] | null;

  /** Only users in one of these states. Null, absent or empty: in any state. */
  @OptionalSeveralOf(USER_STATUSES)
  status?: UserStatus[] | null;

  /** Only users who have an end, at this moment or later. Null, 0 or absent: whatever their end. */
  @IsMoment()
  @IsOptional()
  expire_after?: Moment;

  /** Only users who have an end, at this moment or earlier. Null, 0 or absent: whatever their end. */
  @IsMoment()
  @IsOptional()
  expire_before?: Moment;

  /** True: nothing changes, and the answer tells how many users would be changed. */
  @OptionalBoolean()
  dry_run?: boolean | null;
}

/** A number to add, negative to take away. */
function Amount(most: number): PropertyDecorator {
  const message = { message: `Input should be an integer from -${most} to ${most}` };
  return applyDecorators(IsDefined(REQUIRED), IsInt(message), Min(-most, message), Max(most, message));
}

/** Seconds to add to the end of users who have one. */
export class BulkExpire extends UserBulk {
  /** The number of seconds, negative to take away. */
  @Amount(MOST_SECONDS)
  amount: number;
}

/** Bytes to add to the limit of users who have one; it does not fall below one byte. */
export class BulkDataLimit extends UserBulk {
  /** The number of bytes, negative to take away. */
  @Amount(Number.MAX_SAFE_INTEGER)
  amount: number;
}

/** The part of the credentials that is no secret, for many users. What is absent or null stays as it is. */
export class BulkProxySettings extends UserBulk {
  /** The flow of VLESS; `none` is another spelling of the empty text. */
  @OptionalOneOfSpelled(VLESS_FLOWS, { none: '' })
  flow?: VlessFlow | null;

  /** The method of Shadowsocks. */
  @OptionalOneOf(SHADOWSOCKS_METHODS)
  method?: ShadowsocksMethod | null;
}

export class NewOwner {
  /** The name of the admin to whom the user is to belong. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  admin_username: string;
}
