import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import type { Session } from '../../../api/types';
import { confirm } from '../../../ui/feedback/confirm';
import { useFormat } from '../../../ui/i18n/format';
import { IconLogout } from '../../../ui/icons';
import { QueryView } from '../../../ui/list/query-view';
import { RowActions } from '../../../ui/list/row-actions';
import { SimpleTable } from '../../../ui/list/simple-table';
import { StatusBadge } from '../../../ui/list/status-badge';
import { sessionsQuery } from './access-queries';
import { browserName } from './browser-name';

/** The logins of an admin in browsers and of programs; each can be ended, and all others together. */
export function SessionList({ admin }: { admin: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery(admin));
  const end = useMutation({
    mutationFn: (id: number) =>
      dataOf(api.DELETE('/api/session/{session_id}', { params: { path: { session_id: id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const endAll = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/admin/sessions', { params: { query: { admin } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const askEndAll = () =>
    confirm({
      title: t('admins.endAllTitle', { username: admin }),
      text: t('admins.endAllText'),
      action: t('admins.endAll'),
      onConfirm: () => endAll.mutate(),
    });
  return (
    <Stack gap="sm">
      <QueryView query={sessions}>
        {({ sessions: list }) =>
          list.length === 0 ? (
            <Text size="sm" c="var(--quiet)">
              {t('admins.noSessions')}
            </Text>
          ) : (
            <SimpleTable
              label={t('admins.sessions')}
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: 'browser',
                  header: t('admins.browser'),
                  cell: ({ kind, user_agent: agent, address }: Session) => (
                    <>
                      <strong title={agent ?? undefined}>
                        <bdi>{browserName(agent) ?? t('users.namelessClient')}</bdi>
                      </strong>
                      <div>
                        {kind === 'token' && `${t('admins.program')} · `}
                        <bdi>{address}</bdi>
                      </div>
                    </>
                  ),
                },
                {
                  id: 'created',
                  header: t('admins.loggedIn'),
                  isWide: true,
                  cell: ({ created_at }: Session) => (
                    <span title={format.moment(created_at)}>{format.relative(created_at)}</span>
                  ),
                },
                {
                  id: 'used',
                  header: t('admins.lastUsed'),
                  cell: ({ last_used_at: at, is_current }: Session) =>
                    is_current ? (
                      <StatusBadge tone="good">{t('admins.thisBrowser')}</StatusBadge>
                    ) : (
                      <span title={format.moment(at)}>{format.relative(at)}</span>
                    ),
                },
                {
                  id: 'menu',
                  header: t('common.actions'),
                  cell: ({ id, is_current, user_agent }: Session) => (
                    <RowActions
                      name={`${browserName(user_agent) ?? id}`}
                      // This browser is logged out by the menu of the account.
                      actions={[
                        {
                          label: t('admins.endSession'),
                          icon: IconLogout,
                          run: is_current ? undefined : () => end.mutate(id),
                        },
                      ]}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </QueryView>
      <Group>
        <Button variant="default" leftSection={<IconLogout size={16} />} onClick={askEndAll}>
          {t('admins.endAll')}
        </Button>
      </Group>
    </Stack>
  );
}
