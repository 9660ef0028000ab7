/** How many users a bulk call has changed, or would change. */
export type BulkView = { detail: string } | { dry_run: true; affected_users: number };

/** The spelling is the contract's. */
export const bulkView = (users: number): BulkView => ({
  detail: `operation has been successfuly done on ${users} users`,
});

export const dryRunView = (users: number): BulkView => ({ dry_run: true, affected_users: users });
