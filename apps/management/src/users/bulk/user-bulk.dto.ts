import { applyDecorators } from '@nestjs/common';
import { SHADOWSOCKS_METHODS, type ShadowsocksMethod, VLESS_FLOWS, type VlessFlow } from '@rampart/domain';
import { IsDefined, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { REQUIRED, STRING } from '../../validation/messages.js';
import { IsMoment, type Moment } from '../../validation/moment.js';
import { RejectUnknownMembers } from '../../validation/reject-unknown-members.js';
import { MaxCharacters, OptionalIdList, OptionalOneOf, OptionalOneOfSpelled } from '../../validation/rules.js';
import { BulkSelection } from './bulk-selection.dto.js';

/** A hundred years in seconds. */
const MAX_SECONDS = 3_155_760_000;

/** The users that a bulk call changes. */
@RejectUnknownMembers()
export abstract class UserBulk extends BulkSelection {
  /** Only users in at least one of these groups. Null, absent or empty: users of any groups. */
  @OptionalIdList()
  group_ids?: number[] | null;

  /** Only users whose end is at this moment or later. Null, 0 or absent: no lower limit. */
  @IsMoment()
  @IsOptional()
  expire_after?: Moment;

  /** Only users whose end is at this moment or earlier. Null, 0 or absent: no upper limit. */
  @IsMoment()
  @IsOptional()
  expire_before?: Moment;
}

/** Decorator of a number that is added, or subtracted where it is negative. */
function Amount(most: number): PropertyDecorator {
  const message = { message: `Input should be an integer from -${most} to ${most}` };
  return applyDecorators(IsDefined(REQUIRED), IsInt(message), Min(-most, message), Max(most, message));
}

/** Seconds to add to the end of users who have one. */
export class BulkExpire extends UserBulk {
  /** The number of seconds; a negative number moves the ends to an earlier time. */
  @Amount(MAX_SECONDS)
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

/** What a reset of the traffic of all users would do; empty after it was done. */
export interface TrafficResetView {
  /** True: nothing was changed. */
  dry_run?: boolean;
  /** How many users have traffic that the call would reset. */
  affected_users?: number;
}
