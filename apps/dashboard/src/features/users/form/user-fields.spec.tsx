import { beforeAll, describe, expect, it } from '@jest/globals';
import { MantineProvider } from '@mantine/core';
import { useForm } from '@mantine/form';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { groupsQuery } from '../../../api/queries';
import { startLanguage } from '../../../ui/i18n/i18n';
import { UserFields } from './user-fields';
import { NEW_USER, type UserValues } from './user-values';

beforeAll(() => startLanguage('en'));

function Form({ values }: { values: Partial<UserValues> }) {
  const form = useForm<UserValues>({ initialValues: { ...NEW_USER, ...values } });
  return <UserFields form={form} isNew />;
}

const NO_GROUP = 'Without a group the user gets no servers.';
const DAY_OVER = 'This day is over: the user would be expired at once.';

function textOf(values: Partial<UserValues>): string {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  client.setQueryData(groupsQuery.queryKey, { groups: [], total: 0 });
  const { container, unmount } = render(
    <QueryClientProvider client={client}>
      <MantineProvider>
        <Form values={values} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  const text = container.textContent ?? '';
  unmount();
  return text;
}

describe('the fields of a user', () => {
  it('say what no group, no limit and a day that is over mean', () => {
    expect(textOf({})).toContain(NO_GROUP);
    expect(textOf({})).toContain('Empty or 0: unlimited.');
    expect(textOf({})).not.toContain(DAY_OVER);
    const over = textOf({ group_ids: ['1'], expire: '2020-01-31' });
    expect(over).not.toContain(NO_GROUP);
    expect(over).toContain(DAY_OVER);
    expect(over).toContain('31 Jan 2020 · ');
  });
});
