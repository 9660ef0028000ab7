import { ArrayNotEmpty, IsDefined } from 'class-validator';
import { REQUIRED } from '../validation/messages.js';
import { RejectUnknownMembers } from '../validation/reject-unknown-members.js';
import { IdList, OptionalBoolean, OptionalIdList } from '../validation/rules.js';

/**
 * The groups that users get or lose. The users are those in `users`, or else those of the admins in `admins`, or else all
 * that the caller may change.
 */
@RejectUnknownMembers()
export class BulkGroup {
  /** The ids of the groups that are added or removed; at least one. */
  @ArrayNotEmpty({ message: 'you must select at least one group' })
  @IdList()
  @IsDefined(REQUIRED)
  group_ids: number[];

  /** The ids of users. Empty: nobody; null or absent: `admins` decides. */
  @OptionalIdList()
  users?: number[] | null;

  /** The ids of admins, whose users are meant. Empty: nobody; null or absent: all users. */
  @OptionalIdList()
  admins?: number[] | null;

  /** Only users in at least one of these groups are changed. Null, absent or empty: users of any groups. */
  @OptionalIdList()
  has_group_ids?: number[] | null;

  /** True: nothing changes, and the answer contains the number of users who would be changed. */
  @OptionalBoolean()
  dry_run?: boolean | null;
}
