import { ArrayNotEmpty, IsDefined } from 'class-validator';
import { REQUIRED } from '../http/messages.js';
import { OnlyKnownMembers } from '../http/only-known.js';
import { IdList, OptionalBoolean, OptionalIdList } from '../http/rules.js';

/** Which groups which users are to get or to lose. */
@OnlyKnownMembers()
export class BulkGroup {
  @ArrayNotEmpty({ message: 'you must select at least one group' })
  @IdList()
  @IsDefined(REQUIRED)
  group_ids: number[];

  @OptionalIdList()
  users?: number[] | null;

  @OptionalIdList()
  admins?: number[] | null;

  @OptionalIdList()
  has_group_ids?: number[] | null;

  @OptionalBoolean()
  dry_run?: boolean | null;
}
