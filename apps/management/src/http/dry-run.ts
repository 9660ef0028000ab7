import { BooleanText } from '../validation/query-values.js';
import { RejectUnknownMembers } from '../validation/reject-unknown-members.js';

@RejectUnknownMembers()
export class DryRunQuery {
  /** True: nothing changes, and the answer tells how many objects would be changed. */
  @BooleanText()
  dry_run?: boolean;
}
