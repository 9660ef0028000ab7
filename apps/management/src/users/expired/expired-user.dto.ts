import { IsOptional, IsString } from 'class-validator';
import { STRING } from '../../validation/messages.js';
import { IsMoment, QueriedMoment } from '../../validation/moment.js';
import { BooleanText } from '../../validation/query-values.js';
import { RejectUnknownMembers } from '../../validation/reject-unknown-members.js';
import { MaxCharacters, OptionalOneOf } from '../../validation/rules.js';

const TARGETS = ['expired', 'limited', 'on_hold', 'disabled'] as const;

/** Which of the users whose end has passed are meant: those whose end lies between the two moments. */
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

  /** Only users of the admin of this name. Empty or absent: of all that the caller may see. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  admin_username?: string;

  /** Users in this state. Absent: who is expired or limited. Whoever is on hold has no end yet. */
  @OptionalOneOf(TARGETS)
  target?: (typeof TARGETS)[number];
}

/** Which of them to delete. */
@RejectUnknownMembers()
export class ExpiredUserSelection extends ExpiredUserFilter {
  /** True: nobody is deleted, and the answer names whom the call would delete. */
  @BooleanText()
  dry_run?: boolean;
}

/** Who was deleted. */
export interface DeletedUsersView {
  /** The names of the users. */
  users: string[];
  /** How many they are. */
  count: number;
}
