import { describe, expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { nodesQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { startLanguage } from '../../ui/i18n/i18n';
import { CoreNodes } from './core-nodes';

describe(CoreNodes.name, () => {
  it('says that all connected nodes run the core only where one is connected', async () => {
    await startLanguage('en');
    const said = (['connected', 'error'] as const).map((status) => {
      const client = new QueryClient();
      const node = { id: 1, name: 'near', status, core_config_id: 1, core_pending: false, message: null };
      client.setQueryData(nodesQuery.queryKey, [node as Node]);
      const { getByRole, unmount } = render(<CoreNodes coreId={1} />, {
        wrapper: ({ children }) => (
          <QueryClientProvider client={client}>
            <MantineProvider>{children}</MantineProvider>
          </QueryClientProvider>
        ),
      });
      const text = getByRole('status').textContent;
      unmount();
      client.clear();
      return text;
    });
    expect(said).toEqual(['All of its connected nodes run the stored core', '']);
  });
});
