import { ArrayNotEmpty, IsDefined } from 'class-validator';
import { REQUIRED } from '../validation/messages.js';
import { RejectUnknownMembers } from '../validation/reject-unknown-members.js';
import { IdList, OptionalBoolean, OptionalIdList } from '../validation/rules.js';

/**
 * Which groups which users are to get or to lose. With `users` those users are meant, else with `admins` the users of
 * those admins, else all that the caller may change.
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

  /** Of those, only users in at least one of these groups. Null, absent or empty: whatever their groups. */
  @OptionalIdList()
  has_group_ids?: number[] | null;

  /** True: nothing changes, and the answer tells how many users would be changed. */
  @OptionalBoolean()
  dry_run?: boolean | null;
}
