import { listUsers } from '../../../api/list-users';
import { pageOf } from '../../../ui/list/row-pages';
import { pageQuery, type RowsSource } from '../../../ui/list/use-window';
import { type UserSearch, userQueryOf } from '../user-search';
import { ROW_FIELDS, type UserRow } from './user-row';

/** The list of users that the address asks for. */
export function userList(search: UserSearch): RowsSource<UserRow> {
  const query = userQueryOf(search);
  return {
    queryKey: ['users', 'list', query],
    load: async (offset, limit, signal) => {
      const { users, total } = await listUsers(ROW_FIELDS, { ...query, offset, limit }, signal);
      return { rows: users, total };
    },
  };
}

/** What the list shows first, for those who ask before the parts that show it are loaded. */
export const firstUsersQuery = (search: UserSearch) => pageQuery(userList(search), pageOf(search.at ?? 0));
