import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { RowsPage } from '../../../ui/list/use-window';
import type { SelectedUsers } from '../bulk/one-by-one';
import { type UserSearch, userQueryOf } from '../user-search';
import { userList } from './user-list';
import type { UserRow } from './user-row';

const NOBODY: SelectedUsers = new Map();
type Named = Pick<UserRow, 'id' | 'username'>;

export interface Selection {
  selected: SelectedUsers;
  select: (users: readonly Named[], isSelected: boolean) => void;
  /** A click on the box of a row; `isRange` takes all from the box of the last click to this one. */
  pick: (user: Named, isSelected: boolean, isRange: boolean) => void;
  clear: () => void;
}

/** The rows from one to the other, whichever comes first; only the last where the first is not among them. */
export function rangeOf(rows: readonly Named[], from: number | undefined, to: Named): readonly Named[] {
  const [start, end] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to.id)];
  return start < 0 || end < 0 ? [to] : rows.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/** Who is selected. Another filter clears it, so that nobody is changed who is not in the list; another order does not. */
export function useSelection(search: UserSearch): Selection {
  const client = useQueryClient();
  const { sort: _, ...query } = userQueryOf(search);
  const filter = JSON.stringify(query);
  const [state, setState] = useState<{ filter: string; selected: SelectedUsers; anchor?: number }>({
    filter,
    selected: NOBODY,
  });
  if (state.filter !== filter) setState({ filter, selected: NOBODY });
  const now = state.filter === filter ? state : { filter, selected: NOBODY };
  /** The rows of the list that are here, in its order. */
  const loaded = () => {
    const { queryKey } = userList(search);
    const pages = client.getQueriesData<RowsPage<UserRow>>({ queryKey: [...queryKey, 'page'] });
    return pages.sort(([a], [b]) => Number(a.at(-1)) - Number(b.at(-1))).flatMap(([, page]) => page?.rows ?? []);
  };
  const changed = (users: readonly Named[], isSelected: boolean) => {
    const next = new Map(now.selected);
    for (const { id, username } of users) {
      if (isSelected) next.set(id, username);
      else next.delete(id);
    }
    return next;
  };
  return {
    selected: now.selected,
    select: (users, isSelected) => setState({ ...now, selected: changed(users, isSelected) }),
    pick: (user, isSelected, isRange) => {
      const users = isRange ? rangeOf(loaded(), now.anchor, user) : [user];
      setState({ ...now, selected: changed(users, isSelected), anchor: user.id });
    },
    clear: () => setState({ filter, selected: NOBODY }),
  };
}
