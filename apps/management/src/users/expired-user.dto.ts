import { IsOptional, IsString } from 'class-validator';
import { STRING } from '../http/messages.js';
import { IsMoment, type Moment, QueriedMoment } from '../http/moment.js';
import { OnlyKnownMembers } from '../http/only-known.js';
import { BooleanText } from '../http/query-values.js';
import { MaxCharacters, OptionalOneOf } from '../http/rules.js';

const TARGETS = ['expired', 'limited', 'on_hold', 'disabled'] as const;

/** Which of the users whose end has passed are meant: those whose end lies between the two moments. */
export class ExpiredUserFilter {
  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  expired_after?: Moment;

  @IsMoment()
  @QueriedMoment()
  @IsOptional()
  expired_before?: Moment;

  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  admin_username?: string;

  /** Those in this state; without it, who is expired or limited. Whoever is on hold has no end yet. */
  @OptionalOneOf(TARGETS)
  target?: (typeof TARGETS)[number];
}

/** Which of them to delete. */
@OnlyKnownMembers()
export class ExpiredUserSelection extends ExpiredUserFilter {
  @BooleanText()
  dry_run?: boolean;
}

export interface DeletedUsersView {
  users: string[];
  count: number;
}
