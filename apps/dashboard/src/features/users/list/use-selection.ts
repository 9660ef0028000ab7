import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
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

interface Selected {
  /** The list in which they are selected. */
  filter: string;
  selected: SelectedUsers;
  /** Whose box was clicked last. */
  anchor?: number;
}

/**
 * The rows from one to the other, whichever comes first; only the last where the first is not among them, or where rows
 * between them are not here, which `undefined` stands for.
 */
function rangeOf(rows: readonly (Named | undefined)[], from: number | undefined, to: Named): readonly Named[] {
  const placeOf = (id: number | undefined) => rows.findIndex((row) => row !== undefined && row.id === id);
  const [start, end] = [placeOf(from), placeOf(to.id)];
  const range = rows.slice(Math.min(start, end), Math.max(start, end) + 1);
  const known = range.filter((row) => row !== undefined);
  return start < 0 || end < 0 || known.length < range.length ? [to] : known;
}

/** Who is selected. Another filter clears it, so that nobody is changed who is not in the list; another order does not. */
export function useSelection(search: UserSearch): Selection {
  const client = useQueryClient();
  const { queryKey } = userList(search);
  const list = JSON.stringify([...queryKey, 'page']);
  const { sort: _, ...query } = userQueryOf(search);
  const filter = JSON.stringify(query);
  const [state, setState] = useState<Selected>({ filter, selected: NOBODY });
  if (state.filter !== filter) setState({ filter, selected: NOBODY });
  // The same one as before as long as nothing is selected anew: rows that it is given to are not drawn again.
  return useMemo(() => {
    const now = state.filter === filter ? state : { filter, selected: NOBODY };
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
        const users = isRange ? rangeOf(loadedRows(client, JSON.parse(list)), now.anchor, user) : [user];
        setState({ ...now, selected: changed(users, isSelected), anchor: user.id });
      },
      clear: () => setState({ filter, selected: NOBODY }),
    };
  }, [client, list, filter, state]);
}

/** The rows of a list that are here, in its order, with `undefined` for pages that are not. */
function loadedRows(client: QueryClient, queryKey: QueryKey): (Named | undefined)[] {
  const pages = client
    .getQueriesData<RowsPage<UserRow>>({ queryKey })
    .map(([key, page]) => ({ number: Number(key.at(-1)), rows: page?.rows ?? [] }))
    .sort((one, other) => one.number - other.number);
  return pages.flatMap(({ number, rows }, at) =>
    at > 0 && pages[at - 1]?.number !== number - 1 ? [undefined, ...rows] : rows,
  );
}
