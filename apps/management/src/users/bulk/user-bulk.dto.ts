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
import { REQUIRED, STRING } from '../../http/messages.js';
import { IsMoment, type Moment } from '../../http/moment.js';
import { OnlyKnownMembers } from '../../http/only-known.js';
import {
  MaxCharacters,
  OptionalBoolean,
  OptionalIdList,
  OptionalOneOf,
  OptionalOneOfSpelled,
  OptionalSeveralOf,
} from '../../http/rules.js';

/** A hundred years. */
const MOST_SECONDS = 3_155_760_000;

/** Whom a call means, see `targeted`. */
@OnlyKnownMembers()
export abstract class UserBulk {
  @OptionalIdList()
  users?: number[] | null;

  @OptionalIdList()
  admins?: number[] | null;

  @OptionalIdList()
  group_ids?: number[] | null;

  @OptionalSeveralOf(USER_STATUSES)
  status?: UserStatus[] | null;

  /** Who has an end, and at this moment or later. */
  @IsMoment()
  @IsOptional()
  expire_after?: Moment;

  /** Who has an end, and at this moment or earlier. */
  @IsMoment()
  @IsOptional()
  expire_before?: Moment;

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
  @Amount(MOST_SECONDS)
  amount: number;
}

/** Bytes to add to the limit of users who have one; it does not fall below one byte. */
export class BulkDataLimit extends UserBulk {
  @Amount(Number.MAX_SAFE_INTEGER)
  amount: number;
}

/** What is left out stays as it is. */
export class BulkProxySettings extends UserBulk {
  @OptionalOneOfSpelled(VLESS_FLOWS, { none: '' })
  flow?: VlessFlow | null;

  @OptionalOneOf(SHADOWSOCKS_METHODS)
  method?: ShadowsocksMethod | null;
}

export class NewOwner {
  @MaxCharacters(128)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  admin_username: string;
}
