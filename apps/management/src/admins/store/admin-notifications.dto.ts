import { OptionalBoolean } from '../../validation/rules.js';

/** Of which changes of its users an admin wants to hear. */
export class AdminNotifications {
  /** A user was created. */
  @OptionalBoolean()
  create?: boolean | null;

  /** A user was changed. */
  @OptionalBoolean()
  modify?: boolean | null;

  /** A user was deleted. */
  @OptionalBoolean()
  delete?: boolean | null;

  /** The status of a user changed. */
  @OptionalBoolean()
  status_change?: boolean | null;

  /** The traffic of a user was set to zero. */
  @OptionalBoolean()
  reset_data_usage?: boolean | null;

  /** The next plan of a user began. */
  @OptionalBoolean()
  data_reset_by_next?: boolean | null;

  /** The subscription URL of a user was replaced. */
  @OptionalBoolean()
  subscription_revoked?: boolean | null;
}
