import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { healthQuery, hostsQuery } from '../../api/queries';
import type { Host } from '../../api/types';
import { EmptyState } from '../../ui/feedback/empty-state';
import { IconGrip, IconPlus } from '../../ui/icons';
import { QueryView } from '../../ui/list/query-view';
import { SimpleTable } from '../../ui/list/simple-table';
import { StatusBadge } from '../../ui/list/status-badge';
import { Page } from '../../ui/page';
import { useShortcuts } from '../../ui/shortcuts/shortcuts';
import { EditHost } from './edit-host';
import { HostActions } from './host-actions';
import { HostForm } from './host-form';
import { HostHealthBadge } from './host-health-badge';
import { useHostOrder } from './use-host-order';

/** The hosts in the order in which clients list them. It is changed by dragging, or by the buttons of a row. */
export function HostsPage() {
  const { t } = useTranslation();
  const hosts = useQuery(hostsQuery);
  const { data: health } = useQuery(healthQuery);
  const [edited, setEdited] = useState<Host | 'new'>();
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const order = useHostOrder();
  const create = () => setEdited('new');
  const close = () => setEdited(undefined);
  useShortcuts([{ keys: 'n', label: t('hosts.create'), run: create }]);
  const columns = (list: Host[]) => [
    { id: 'grip', header: '', isWide: true, cell: () => <IconGrip size={16} aria-hidden style={{ cursor: 'grab' }} /> },
    {
      id: 'remark',
      header: t('users.name'),
      cell: ({ id, remark, address }: Host) => (
        <>
          <strong>
            <bdi>{remark}</bdi>
          </strong>
          <div>
            <bdi>{address.join(', ')}</bdi>
          </div>
          {health && <HostHealthBadge health={health.find(({ host_id }) => host_id === id)} />}
        </>
      ),
    },
    {
      id: 'inbound',
      header: t('hosts.inbound'),
      isWide: true,
      cell: ({ inbound_tag }: Host) => <bdi>{inbound_tag}</bdi>,
    },
    {
      id: 'state',
      header: t('users.statusLabel'),
      isWide: true,
      cell: ({ is_disabled: off }: Host) => (
        <StatusBadge tone={off ? 'quiet' : 'good'}>{off ? t('common.disabled') : t('common.enabled')}</StatusBadge>
      ),
    },
    {
      id: 'menu',
      header: t('common.actions'),
      cell: (host: Host, index: number) => (
        <HostActions
          host={host}
          onEdit={() => setEdited(host)}
          onUp={index > 0 ? () => order.move(host.id, (place) => place - 1) : undefined}
          onDown={index < list.length - 1 ? () => order.move(host.id, (place) => place + 1) : undefined}
        />
      ),
    },
  ];
  return (
    <Page
      title={t('nav.hosts')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create}>
          {t('hosts.create')}
        </Button>
      }
    >
      <QueryView query={hosts}>
        {(data) => {
          const list = order.arrange(data);
          if (list.length === 0)
            return (
              <EmptyState title={t('hosts.emptyTitle')} text={t('hosts.emptyText')}>
                <Button onClick={create}>{t('hosts.create')}</Button>
              </EmptyState>
            );
          return (
            <SimpleTable
              label={t('nav.hosts')}
              rows={list}
              rowKey={({ id }) => id}
              columns={columns(list)}
              rowProps={({ id }, index) => ({
                draggable: true,
                ...(over === index && { 'data-over': true }),
                onDragStart: () => setDragged(id),
                onDragOver: (event) => {
                  event.preventDefault();
                  setOver(index);
                },
                onDragEnd: () => setOver(undefined),
                onDrop: () => dragged !== undefined && order.move(dragged, () => index),
              })}
            />
          );
        }}
      </QueryView>
      {edited === 'new' && (
        <HostForm last={Math.max(0, ...(hosts.data ?? []).map(({ priority }) => priority))} onClose={close} />
      )}
      {edited && edited !== 'new' && <EditHost host={edited} onClose={close} />}
    </Page>
  );
}
