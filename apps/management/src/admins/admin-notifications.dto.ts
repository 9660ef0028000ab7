import { OptionalBoolean } from '../http/rules.js';

/** Of which changes of its users an admin wants to hear. */
export class AdminNotifications {
  @OptionalBoolean()
  create?: boolean | null;

  @OptionalBoolean()
  modify?: boolean | null;

  @OptionalBoolean()
  delete?: boolean | null;

  @OptionalBoolean()
  status_change?: boolean | null;

  @OptionalBoolean()
  reset_data_usage?: boolean | null;

  @OptionalBoolean()
  data_reset_by_next?: boolean | null;

  @OptionalBoolean()
  subscription_revoked?: boolean | null;
}
