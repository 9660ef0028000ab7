import { IsOptional, IsString } from 'class-validator';
import { STRING } from '../../validation/messages.js';
import { IsMoment, QueriedMoment } from '../../validation/moment.js';
import { BooleanText } from '../../validation/query-values.js';
import { RejectUnknownMembers } from '../../validation/reject-unknown-members.js';
import { MaxCharacters, OptionalOneOf } from '../../validation/rules.js';

const TARGETS = ['expired', 'limited', 'on_hold', 'disabled'] as const;

/** Selects users whose end has passed; the two moments limit the range of their ends. */
export class ExpiredUserFilter {
  /** Users whose end was at this moment or later. */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  expired_after?: number | string;

  /** Users whose end was at this moment or earlier. */
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  expired_before?: number | string;

  /** Only users of the admin with this name. Empty or absent: all users that the caller may see. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  admin_username?: string;

  /** Only users in this state. Absent: users who are expired or limited. A user on hold has no end yet. */
  @OptionalOneOf(TARGETS)
  target?: (typeof TARGETS)[number];
}

/** Selects the users to delete. */
@RejectUnknownMembers()
export class ExpiredUserSelection extends ExpiredUserFilter {
  /** True: nobody is deleted, and the answer contains the names of the users who would be deleted. */
  @BooleanText()
  dry_run?: boolean;
}

/** The deleted users. */
export interface DeletedUsersView {
  /** The names of the users. */
  users: string[];
  /** The number of these users. */
  count: number;
}
