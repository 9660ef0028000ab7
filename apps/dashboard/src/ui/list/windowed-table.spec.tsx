import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import { startLanguage } from '../i18n/i18n';
import type { Column } from './table-row';
import { WindowedTable } from './windowed-table';

beforeAll(() => startLanguage('en'));
beforeEach(() => {
  jest.useFakeTimers();
  // jsdom lays nothing out.
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});
const KEY = ['users'];
const TOTAL = 250;
const rows = Array.from({ length: TOTAL }, (_, at) => ({ name: `user${at}` }));

describe(WindowedTable.name, () => {
  it('draws each row in sight once, and nothing while nothing changes', async () => {
    const drawn: string[] = [];
    const columns: Column<{ name: string }>[] = [
      {
        id: 'name',
        header: 'Name',
        cell: ({ name }) => {
          drawn.push(name);
          return name;
        },
      },
    ];
    const table = () => (
      <QueryClientProvider client={client}>
        <MantineProvider>
          <WindowedTable
            label="Users"
            columns={columns}
            template="1fr"
            queryKey={KEY}
            load={async (offset, limit) => ({ rows: rows.slice(offset, offset + limit), total: TOTAL })}
            empty=""
          />
        </MantineProvider>
      </QueryClientProvider>
    );
    const client = new QueryClient();
    const { rerender, getByText } = render(table());
    await act(() => jest.advanceTimersByTimeAsync(1_000));
    getByText('user3');
    const inSight = new Set(drawn);
    expect(drawn).toHaveLength(inSight.size);
    await act(() => jest.advanceTimersByTimeAsync(60_000));
    rerender(table());
    expect(drawn).toHaveLength(inSight.size);
  });
});
