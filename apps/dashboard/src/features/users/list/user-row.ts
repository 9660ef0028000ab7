import type { User } from '../../../api/types';

/** What the list shows of a user: the API then reads and sends no credentials. */
export const ROW_FIELDS = [
  'id',
  'username',
  'status',
  'note',
  'expire',
  'data_limit',
  'used_traffic',
  'online_at',
] as const;

export type UserRow = Pick<User, (typeof ROW_FIELDS)[number]>;
