import { beforeAll, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render } from '@testing-library/react';
import { startLanguage } from '../../../ui/i18n/i18n';
import type { UserSearch } from '../user-search';
import { SelectRow } from './select-row';
import { useSelection } from './use-selection';
import { userList } from './user-list';
import type { UserRow } from './user-row';

beforeAll(() => startLanguage('en'));

const users = ['ali', 'bob', 'cem', 'dan', 'eve'].map((username, at) => ({ id: 9 - at, username }) as UserRow);

function Boxes({ search }: { search: UserSearch }) {
  const { selected, pick } = useSelection(search);
  return users.map((user) => <SelectRow key={user.id} user={user} isSelected={selected.has(user.id)} onPick={pick} />);
}

function show(search: UserSearch = {}) {
  const client = new QueryClient();
  const load = (list: UserSearch, page: number, rows: UserRow[]) =>
    client.setQueryData([...userList(list).queryKey, 'page', page], { rows, total: 300 });
  const page = (list: UserSearch) => (
    <QueryClientProvider client={client}>
      <Boxes search={list} />
    </QueryClientProvider>
  );
  const { getByLabelText, getAllByRole, rerender } = render(page(search));
  return {
    load,
    go: (next: UserSearch) => rerender(page(next)),
    click: (name: string, shiftKey = false) => fireEvent.click(getByLabelText(`Select: ${name}`), { shiftKey }),
    chosen: () =>
      getAllByRole('checkbox').flatMap((box, at) => ((box as HTMLInputElement).checked ? users[at]?.username : [])),
  };
}

describe('the selection of users', () => {
  it('is cleared by another filter, and not by another order or place', () => {
    for (const next of [{ q: 'a' }, { status: 'active' }, { group: '3' }, { admin: 'root' }]) {
      const { go, click, chosen } = show();
      click('bob');
      go({ sort: 'expire', at: 40 });
      expect(chosen()).toEqual(['bob']);
      go(next);
      expect(chosen()).toEqual([]);
      go({});
      expect(chosen()).toEqual([]);
      cleanup();
    }
  });

  it('a click with Shift selects from the last click to this one, up or down, over the pages of the list', () => {
    const { load, click, chosen } = show();
    load({}, 1, users.slice(2));
    load({}, 0, users.slice(0, 2));
    click('bob');
    click('dan', true);
    expect(chosen()).toEqual(['bob', 'cem', 'dan']);
    click('cem', true);
    expect(chosen()).toEqual(['bob']);
    click('eve');
    click('ali');
    click('eve');
    expect(chosen()).toEqual(['ali', 'bob']);
    click('cem', true);
    expect(chosen()).toEqual(['ali', 'bob', 'cem', 'dan', 'eve']);
  });

  it('a click with Shift selects one user where the last click is not in the list that is here, or was in another', () => {
    const { load, go, click, chosen } = show();
    load({}, 0, users.slice(2));
    click('dan', true);
    expect(chosen()).toEqual(['dan']);
    click('ali');
    click('eve', true);
    expect(chosen()).toEqual(['ali', 'dan', 'eve']);
    go({ q: 'x' });
    load({ q: 'x' }, 0, users);
    click('bob', true);
    expect(chosen()).toEqual(['bob']);
  });

  it('a click with Shift selects one user where pages between the two clicks are not here', () => {
    const { load, click, chosen } = show();
    load({}, 0, users.slice(0, 2));
    load({}, 2, users.slice(2));
    click('ali');
    click('dan', true);
    expect(chosen()).toEqual(['ali', 'dan']);
    click('cem', true);
    expect(chosen()).toEqual(['ali', 'cem', 'dan']);
  });

  it('a click with Shift follows the order of the list as it is now', () => {
    const { load, go, click, chosen } = show();
    load({}, 0, users);
    click('ali');
    go({ sort: 'expire' });
    load({ sort: 'expire' }, 0, [users[0], users[4], users[1], users[2], users[3]] as UserRow[]);
    click('bob', true);
    expect(chosen()).toEqual(['ali', 'bob', 'eve']);
  });
});
