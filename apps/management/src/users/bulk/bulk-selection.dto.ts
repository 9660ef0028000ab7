import { USER_STATUSES, type UserStatus } from '@rampart/domain';
import { IsOptional, IsString } from 'class-validator';
import { STRING } from '../../validation/messages.js';
import { MaxCharacters, OptionalBoolean, OptionalIdList, OptionalSeveralOf } from '../../validation/rules.js';

/**
 * The users that a bulk call selects: those in `users`, or else those of the admins in `admins`, or else all that the
 * caller may change. The other members narrow this selection.
 */
export abstract class BulkSelection {
  /** The ids of users. Empty: nobody; null or absent: `admins` decides. */
  @OptionalIdList()
  users?: number[] | null;

  /** The ids of admins whose users are selected. Empty: nobody; null or absent: all users. */
  @OptionalIdList()
  admins?: number[] | null;

  /** Only users in one of these states. Null, absent or empty: users in any state. */
  @OptionalSeveralOf(USER_STATUSES)
  status?: UserStatus[] | null;

  /** Only users whose name or note contains this text, in any case. Null, absent or empty: all. */
  @MaxCharacters(500)
  @IsString(STRING)
  @IsOptional()
  search?: string | null;

  /** True: nothing changes, and the answer contains the number of users who would be changed. */
  @OptionalBoolean()
  dry_run?: boolean | null;
}
