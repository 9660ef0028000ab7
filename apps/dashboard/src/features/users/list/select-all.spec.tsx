import { beforeAll, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import { startLanguage } from '../../../ui/i18n/i18n';
import { SelectAll } from './select-all';

beforeAll(() => startLanguage('en'));

const KEY = ['users', 'list', {}];
const rows = [
  { id: 1, username: 'ali' },
  { id: 2, username: 'eve' },
];

describe(SelectAll.name, () => {
  it('selects a list that is here as a whole, and opens "Change all" for a longer one', async () => {
    const client = new QueryClient();
    const chosen: unknown[] = [];
    let asked = 0;
    const { getByRole, queryByRole } = render(
      <QueryClientProvider client={client}>
        <SelectAll
          queryKey={KEY}
          selected={new Map([[1, 'ali']])}
          onSelect={(users, isSelected) => chosen.push([users, isSelected])}
          onChangeAll={() => {
            asked += 1;
          }}
        />
      </QueryClientProvider>,
    );
    const show = (total: number) => act(async () => void client.setQueryData([...KEY, 'page', 0], { rows, total }));
    expect(queryByRole('checkbox')).toBeNull();
    expect(queryByRole('button')).toBeNull();
    await show(3);
    expect(queryByRole('checkbox')).toBeNull();
    act(() => getByRole('button', { name: 'Change all 3 users of this list' }).click());
    expect(asked).toBe(1);
    await show(2);
    expect(queryByRole('button')).toBeNull();
    const box = getByRole('checkbox', { name: 'Select all' }) as HTMLInputElement;
    expect(box.checked).toBe(false);
    act(() => box.click());
    expect(chosen).toEqual([[rows, true]]);
  });
});
