import { describe, expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { startLanguage } from '../i18n/i18n';
import { TrafficByRange } from './traffic-by-range';

describe(TrafficByRange.name, () => {
  it('says no sum as long as it knows none', async () => {
    await startLanguage('en');
    const client = new QueryClient();
    const load = () => Promise.reject(new Error('the answer is strange'));
    const { findByRole, queryByText, unmount } = render(
      <TrafficByRange
        label="Traffic"
        initial="day"
        query={() => ({ queryKey: ['traffic'], queryFn: load, retry: false })}
      />,
      {
        wrapper: ({ children }) => (
          <QueryClientProvider client={client}>
            <MantineProvider>{children}</MantineProvider>
          </QueryClientProvider>
        ),
      },
    );
    expect(queryByText(/In total/)).toBeNull();
    await findByRole('alert');
    expect(queryByText(/In total/)).toBeNull();
    unmount();
    client.clear();
  });
});
