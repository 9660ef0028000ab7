import { Anchor, Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { groupsQuery } from '../../api/queries';
import type { Group } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { EmptyState } from '../../ui/feedback/empty-state';
import { useFormat } from '../../ui/i18n/format';
import { IconDelete, IconEdit, IconPlus } from '../../ui/icons';
import { QueryView } from '../../ui/list/query-view';
import { RowActions } from '../../ui/list/row-actions';
import { SimpleTable } from '../../ui/list/simple-table';
import { StatusBadge } from '../../ui/list/status-badge';
import { Page } from '../../ui/page';
import { useShortcuts } from '../../ui/shortcuts/shortcuts';
import { GroupForm } from './group-form';

/** The groups: which inbounds each one gives access to, and to how many users. */
export function GroupsPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const groups = useQuery(groupsQuery);
  const [edited, setEdited] = useState<Group | 'new'>();
  const remove = useMutation({
    mutationFn: ({ id, version }: Group) =>
      dataOf(
        api.DELETE('/api/group/{group_id}', {
          params: { path: { group_id: id }, header: { 'if-match': version } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ['groups'] }),
  });
  const ask = (group: Group) =>
    confirm({
      title: t('groups.deleteTitle', { name: group.name }),
      text: t('groups.deleteText', { count: group.total_users }),
      action: t('common.delete'),
      onConfirm: () => remove.mutate(group),
    });
  const create = () => setEdited('new');
  useShortcuts([{ keys: 'n', label: t('groups.create'), run: create }]);
  return (
    <Page
      title={t('nav.groups')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create}>
          {t('groups.create')}
        </Button>
      }
    >
      <QueryView query={groups}>
        {({ groups: list }) =>
          list.length === 0 ? (
            <EmptyState title={t('groups.emptyTitle')} text={t('groups.emptyText')}>
              <Button onClick={create}>{t('groups.create')}</Button>
            </EmptyState>
          ) : (
            <SimpleTable
              label={t('nav.groups')}
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                { id: 'name', header: t('users.name'), cell: ({ name }) => <strong>{name}</strong> },
                {
                  id: 'state',
                  header: t('users.statusLabel'),
                  isWide: true,
                  cell: ({ is_disabled: off }) => (
                    <StatusBadge tone={off ? 'quiet' : 'good'}>
                      {off ? t('common.disabled') : t('common.enabled')}
                    </StatusBadge>
                  ),
                },
                {
                  id: 'inbounds',
                  header: t('groups.inbounds'),
                  cell: ({ inbound_tags }) => <bdi>{inbound_tags.join(', ') || '–'}</bdi>,
                },
                {
                  id: 'users',
                  header: t('nav.users'),
                  cell: ({ id, total_users }) => (
                    <Anchor
                      size="sm"
                      underline="always"
                      renderRoot={(props) => <Link {...props} to="/users" search={{ group: `${id}` }} />}
                    >
                      {format.number(total_users)}
                    </Anchor>
                  ),
                },
                {
                  id: 'menu',
                  header: t('common.actions'),
                  cell: (group) => (
                    <RowActions
                      name={group.name}
                      actions={[
                        { label: t('common.edit'), icon: IconEdit, run: () => setEdited(group) },
                        { label: t('common.delete'), icon: IconDelete, run: () => ask(group) },
                      ]}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </QueryView>
      {edited && <GroupForm group={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}
