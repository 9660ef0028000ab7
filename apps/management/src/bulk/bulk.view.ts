/**
 * The answer of a bulk call: a sentence with the number of changed users, or with `dry_run` the number of users that
 * would change.
 */
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

/** The misspelling in the sentence is part of the contract. */
export const bulkView = (users: number): BulkView => ({
  detail: `operation has been successfuly done on ${users} users`,
});

export const dryRunView = (users: number): BulkView => ({ dry_run: true, affected_users: users });
