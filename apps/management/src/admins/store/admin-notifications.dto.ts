import { OptionalBoolean } from '../../validation/rules.js';

/** The changes of its users of which an admin wants to be notified. */
export class AdminNotifications {
  /** Notify when a user was created. */
  @OptionalBoolean()
  create?: boolean | null;

  /** Notify when a user was changed. */
  @OptionalBoolean()
  modify?: boolean | null;

  /** Notify when a user was deleted. */
  @OptionalBoolean()
  delete?: boolean | null;

  /** Notify when the status of a user changed. */
  @OptionalBoolean()
  status_change?: boolean | null;

  /** Notify when the traffic counter of a user was set to zero. */
  @OptionalBoolean()
  reset_data_usage?: boolean | null;

  /** Notify when the next plan of a user began. */
  @OptionalBoolean()
  data_reset_by_next?: boolean | null;

  /** Notify when the subscription URL of a user was replaced. */
  @OptionalBoolean()
  subscription_revoked?: boolean | null;
}
