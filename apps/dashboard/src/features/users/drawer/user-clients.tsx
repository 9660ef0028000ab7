import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state';
import { ErrorPanel } from '../../../ui/feedback/error-panel';
import { useFormat } from '../../../ui/i18n/format';
import { fetchesQuery } from '../user-queries';

/** The client programs that have fetched the subscription last. */
export function UserClients({ username }: { username: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data, error, refetch } = useQuery(fetchesQuery(username));
  if (error) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} />;
  if (data.updates.length === 0)
    return <EmptyState title={t('users.noClientsTitle')} text={t('users.noClientsText')} />;
  return (
    <Stack gap="xs">
      {data.updates.map(({ created_at, user_agent }) => (
        <div key={created_at + user_agent}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{user_agent || t('users.namelessClient')}</bdi>
          </Text>
          <Text size="xs" c="var(--quiet)">
            {format.moment(created_at)} · {format.relative(created_at)}
          </Text>
        </div>
      ))}
    </Stack>
  );
}
