import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminsQuery } from '../../api/queries';
import type { Admin } from '../../api/types';
import { useFormat } from '../../ui/i18n/format';
import { IconPlus } from '../../ui/icons';
import { QueryView } from '../../ui/list/query-view';
import { SimpleTable } from '../../ui/list/simple-table';
import { StatusBadge } from '../../ui/list/status-badge';
import { Page } from '../../ui/page';
import { useShortcuts } from '../../ui/shortcuts/shortcuts';
import { AccessDialog } from './access/access-dialog';
import { AdminForm } from './admin-form';
import { AdminMenu } from './admin-menu';

/** The admins: what each may do, how many users it has, and what these have used. */
export function AdminsPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const admins = useQuery(adminsQuery);
  const [edited, setEdited] = useState<Admin | 'new'>();
  const [accessOf, setAccessOf] = useState<Admin>();
  const create = () => setEdited('new');
  useShortcuts([{ keys: 'n', label: t('admins.create'), run: create }]);
  const columns = [
    {
      id: 'name',
      header: t('users.name'),
      cell: ({ username, is_sudo }: Admin) => (
        <>
          <strong>
            <bdi>{username}</bdi>
          </strong>
          <div>{is_sudo ? t('admins.roles.sudo') : t('admins.roles.admin')}</div>
        </>
      ),
    },
    {
      id: 'state',
      header: t('users.statusLabel'),
      isWide: true,
      cell: ({ is_disabled: off }: Admin) => (
        <StatusBadge tone={off ? 'quiet' : 'good'}>{off ? t('common.disabled') : t('common.enabled')}</StatusBadge>
      ),
    },
    {
      id: 'users',
      header: t('nav.users'),
      cell: ({ username, total_users }: Admin) => (
        <Anchor
          size="sm"
          underline="always"
          renderRoot={(props) => <Link {...props} to="/users" search={{ admin: username }} />}
        >
          {format.number(total_users)}
        </Anchor>
      ),
    },
    {
      id: 'used',
      header: t('users.used'),
      cell: ({ used_traffic }: Admin) => <bdi>{format.bytes(used_traffic)}</bdi>,
    },
    {
      id: 'lifetime',
      header: t('users.lifetime'),
      isWide: true,
      cell: ({ lifetime_used_traffic }: Admin) => <bdi>{format.bytes(lifetime_used_traffic)}</bdi>,
    },
    {
      id: 'menu',
      header: t('common.actions'),
      cell: (admin: Admin) => (
        <AdminMenu admin={admin} onEdit={() => setEdited(admin)} onAccess={() => setAccessOf(admin)} />
      ),
    },
  ];
  return (
    <Page
      title={t('nav.admins')}
      note={admins.data && format.number(admins.data.length)}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create}>
          {t('admins.create')}
        </Button>
      }
    >
      <QueryView query={admins}>
        {(list) => (
          <SimpleTable label={t('nav.admins')} rows={list} rowKey={({ username }) => username} columns={columns} />
        )}
      </QueryView>
      {edited && <AdminForm admin={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {accessOf && <AccessDialog username={accessOf.username} onClose={() => setAccessOf(undefined)} />}
    </Page>
  );
}
