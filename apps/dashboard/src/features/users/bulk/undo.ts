import type { User, UserStatus } from '../../../api/types';
import type { BulkAction } from './bulk-call';

/** A user whom a change has changed, with the state that an admin had given it before. */
export interface FormerState {
  username: string;
  status: 'active' | 'on_hold' | 'disabled';
  /** The version that the change has made: what somebody else changes later is not undone. */
  version: string;
}

/** The state to which an admin can put a user back; whether it is expired or limited then follows from its terms again. */
export const formerStatus = (status: UserStatus): FormerState['status'] =>
  status === 'on_hold' || status === 'disabled' ? status : 'active';

/** A group, and the ids of the users whom a change puts into it or takes out of it. */
export interface MembershipChange {
  group: number;
  users: number[];
}

/** Whom a change of groups changes, by group: only those who are not as it wants them already. */
export function membershipChanges(
  action: BulkAction,
  groups: readonly number[],
  users: readonly Pick<User, 'id' | 'group_ids'>[],
): MembershipChange[] {
  const isIn = action === 'remove_groups';
  return groups
    .map((group) => ({
      group,
      users: users.filter(({ group_ids }) => group_ids.includes(group) === isIn).map(({ id }) => id),
    }))
    .filter((change) => change.users.length > 0);
}

/** Makes a call for each item, also after one has failed. @throws the first error, when all are made */
export async function callForEach<Item>(items: readonly Item[], call: (item: Item) => Promise<unknown>): Promise<void> {
  const errors: unknown[] = [];
  for (const item of items) await call(item).catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Whether these are all users whom the change has changed: the API tells their number. */
export const isWhole = (changes: readonly MembershipChange[], changed: number | undefined): boolean =>
  changed !== undefined && changed > 0 && new Set(changes.flatMap(({ users }) => users)).size === changed;
