import { api, dataOf } from '../../../api/client';
import { bytesOf, secondsOf } from '../../../ui/form/units';
import { type UserSearch, userQueryOf } from '../user-search';

export const BULK_ACTIONS = ['expire', 'data_limit', 'add_groups', 'remove_groups'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The values of the form. */
export interface BulkTerms {
  action: BulkAction;
  /** Days or GiB; a negative number takes away. */
  amount: number | '';
  group_ids: string[];
}

/** Whom a call changes, in the words of the API; an empty object means all users. */
export interface BulkTarget {
  users?: number[];
  admins?: number[];
  group_ids?: number[];
  status?: NonNullable<ReturnType<typeof userQueryOf>['status']>;
  search?: string;
}

export const isComplete = ({ action, amount, group_ids }: BulkTerms): boolean =>
  action === 'expire' || action === 'data_limit' ? Number(amount) !== 0 : group_ids.length > 0;

/** Whether a change means the selected users or all of the list, whoever is selected. */
export type BulkScope =
  | { changes: 'selected'; users: readonly number[]; names: readonly string[] }
  | { changes: 'all'; filter: UserSearch };

/** Whom a change means; of `all` those of the filter. */
export const targetOfScope = (scope: BulkScope, admins: ReadonlyMap<string, number>): BulkTarget =>
  scope.changes === 'selected' ? { users: [...scope.users] } : targetOf(scope.filter, admins);

/** Whom a change of all users of the list means; `admins` gives the ids of admins by their names. */
export function targetOf(filter: UserSearch, admins: ReadonlyMap<string, number>): BulkTarget {
  const { admin, group, status, search } = userQueryOf(filter);
  return {
    ...(admin && { admins: admin.flatMap((name) => admins.get(name) ?? []) }),
    ...(group && { group_ids: group }),
    ...(status && { status }),
    ...(search !== undefined && { search }),
  };
}

/** Makes the change, or with `dryRun` counts only: the number of users that it changes, as far as the API tells it. */
export async function callBulk(terms: BulkTerms, target: BulkTarget, dryRun: boolean, signal?: AbortSignal) {
  const { group_ids, ...others } = target;
  const who = { ...others, dry_run: dryRun };
  const filtered = { ...who, ...(group_ids && { group_ids }) };
  const groups = { ...who, group_ids: terms.group_ids.map(Number), ...(group_ids && { has_group_ids: group_ids }) };
  const options = signal ? { signal } : {};
  const answer = await dataOf(
    {
      expire: () =>
        api.POST('/api/users/bulk/expire', {
          body: { ...filtered, amount: secondsOf(terms.amount) },
          ...options,
        }),
      data_limit: () =>
        api.POST('/api/users/bulk/data_limit', {
          body: { ...filtered, amount: bytesOf(terms.amount) },
          ...options,
        }),
      add_groups: () => api.POST('/api/groups/bulk/add', { body: groups, ...options }),
      remove_groups: () => api.POST('/api/groups/bulk/remove', { body: groups, ...options }),
    }[terms.action](),
  );
  return 'affected_users' in answer ? answer.affected_users : changedIn(answer.detail);
}

/** The number of changed users in the sentence with which the API answers. */
export function changedIn(detail: string): number | undefined {
  const number = /\bon (\d+) users?$/.exec(detail)?.[1];
  return number === undefined ? undefined : Number(number);
}
