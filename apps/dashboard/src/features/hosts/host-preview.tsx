import { Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { listUsers } from '../../api/list-users';
import type { HostCreate } from '../../api/types';
import { EmptyState } from '../../ui/feedback/empty-state';
import { QueryView } from '../../ui/list/query-view';
import { ClientSelect } from '../../ui/preview/client-select';
import { PreviewResult } from '../../ui/preview/preview-result';

const TYPING_MS = 200;
const FOUND = 20;

interface Props {
  body: HostCreate & { id?: number };
}

const namesQuery = (search: string) =>
  queryOptions({
    queryKey: ['users', 'names', { search }],
    queryFn: ({ signal }) => listUsers(['username'], { limit: FOUND, ...(search !== '' && { search }) }, signal),
  });

/** What the clients of a user would get if this host were saved. */
export function HostPreview({ body }: Props) {
  const { t } = useTranslation();
  const first = useQuery(namesQuery(''));
  return (
    <QueryView query={first}>
      {({ users: [user] }) =>
        user === undefined ? (
          <EmptyState title={t('users.emptyTitle')} text={t('users.emptyText')} />
        ) : (
          <PreviewAs first={user.username} body={body} />
        )
      }
    </QueryView>
  );
}

/** The preview as a user that can be chosen; it begins with `first`. */
function PreviewAs({ first, body }: Props & { first: string }) {
  const { t } = useTranslation();
  const [client, setClient] = useState('v2rayng');
  const [username, setUsername] = useState(first);
  const [text, setText] = useState('');
  // The field holds the name of the chosen user until another one is typed.
  const [search] = useDebouncedValue(text === username ? '' : text, TYPING_MS);
  const { data: found } = useQuery({ ...namesQuery(search), placeholderData: keepPreviousData });
  const names = found?.users.map((user) => user.username) ?? [];
  const preview = useQuery({
    queryKey: ['users', 'preview', username, client, JSON.stringify(body)],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/api/user/{username}/preview', { params: { path: { username }, query: { client } }, body, signal }),
      ),
    retry: false,
    gcTime: 0,
  });
  return (
    <Stack gap="sm" mt="sm">
      <ClientSelect value={client} onChange={setClient} />
      <Select
        label={t('hosts.asUser')}
        data={[...new Set([username, ...names])]}
        value={username}
        onChange={(next) => setUsername(next ?? username)}
        onSearchChange={setText}
        filter={({ options }) => options}
        searchable
        allowDeselect={false}
      />
      <QueryView query={preview}>{(data) => <PreviewResult preview={data} />}</QueryView>
    </Stack>
  );
}
