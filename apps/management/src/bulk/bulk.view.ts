/** How many users a bulk call has changed in a sentence, or with `dry_run` how many it would change. */
export type BulkView =
  | {
      /** `operation has been successfuly done on … users`, with the number of users that were changed. */
      detail: string;
    }
  | {
      /** Nothing was changed. */
      dry_run: true;
      /** How many users the call would change. */
      affected_users: number;
    };

/** The spelling is the contract's. */
export const bulkView = (users: number): BulkView => ({
  detail: `operation has been successfuly done on ${users} users`,
});

export const dryRunView = (users: number): BulkView => ({ dry_run: true, affected_users: users });
