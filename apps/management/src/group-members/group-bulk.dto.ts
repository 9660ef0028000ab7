import { ArrayNotEmpty, IsDefined } from 'class-validator';
import { BulkSelection } from '../users/bulk/bulk-selection.dto.js';
import { REQUIRED } from '../validation/messages.js';
import { RejectUnknownMembers } from '../validation/reject-unknown-members.js';
import { IdList, OptionalIdList } from '../validation/rules.js';

/** The groups that the selected users get or lose. */
@RejectUnknownMembers()
export class BulkGroup extends BulkSelection {
  /** The ids of the groups that are added or removed; at least one. */
  @ArrayNotEmpty({ message: 'you must select at least one group' })
  @IdList()
  @IsDefined(REQUIRED)
  group_ids: number[];

  /** Only users in at least one of these groups are changed. Null, absent or empty: users of any groups. */
  @OptionalIdList()
  has_group_ids?: number[] | null;
}
