import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error';
import type { Application } from '../../../api/types';
import { confirm } from '../../../ui/feedback/confirm';
import { EmptyState } from '../../../ui/feedback/empty-state';
import { wordsOf } from '../../../ui/i18n/words';
import { IconArrowDown, IconArrowUp, IconDelete, IconEdit, IconPlus } from '../../../ui/icons';
import { RowActions } from '../../../ui/list/row-actions';
import { SimpleTable } from '../../../ui/list/simple-table';
import { StatusBadge } from '../../../ui/list/status-badge';
import { type StoredSettings, saveSubscription, settingsQuery, useShowSaved } from '../settings-queries';
import { ApplicationForm } from './application-form';
import { movedApplication } from './application-values';

/** The applications that the page of a subscription offers, in their order. */
export function ApplicationsPanel({ stored }: { stored: StoredSettings }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const show = useShowSaved();
  const [edited, setEdited] = useState<number | 'new'>();
  const list: Application[] = stored.subscription.applications ?? [];
  const change = useMutation({
    mutationFn: (applications: Application[]) =>
      saveSubscription({ applications }, { 'if-match': stored.version }, stored),
    onSuccess: show.settings,
    onError: (error) => {
      const { current } = ApiError.from(error);
      if (current) client.setQueryData(settingsQuery.queryKey, current as unknown as StoredSettings);
    },
  });
  const move = (from: number, to: number) => () => change.mutate(movedApplication(list, from, to));
  const ask = (name: string, at: number) => () =>
    confirm({
      title: t('groups.deleteTitle', { name }),
      text: t('settings.deleteApplicationText'),
      action: t('common.delete'),
      onConfirm: () => change.mutate(list.toSpliced(at, 1)),
    });
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
      {t('settings.addApplication')}
    </Button>
  );
  return (
    <Stack gap="md">
      {list.length === 0 ? (
        <EmptyState title={t('settings.noApplications')} text={t('settings.applicationsText')}>
          {add}
        </EmptyState>
      ) : (
        <>
          <Group justify="space-between">
            <Text size="sm" c="var(--quiet)">
              {t('settings.applicationsText')}
            </Text>
            {add}
          </Group>
          <SimpleTable
            label={t('settings.tabs.applications')}
            rows={list.map((application, at) => ({ ...application, at }))}
            rowKey={({ at }) => at}
            columns={[
              {
                id: 'name',
                header: t('users.name'),
                cell: ({ name, recommended }) => (
                  <Group gap="xs">
                    <strong>
                      <bdi>{name}</bdi>
                    </strong>
                    {recommended && <StatusBadge tone="good">{t('settings.isRecommended')}</StatusBadge>}
                  </Group>
                ),
              },
              {
                id: 'platform',
                header: t('settings.platform'),
                cell: ({ platform }) => wordsOf(`settings.platforms.${platform}`) ?? platform,
              },
              {
                id: 'menu',
                header: t('common.actions'),
                cell: ({ name, at }) => (
                  <RowActions
                    name={name}
                    actions={[
                      { label: t('hosts.up'), icon: IconArrowUp, run: at > 0 ? move(at, at - 1) : undefined },
                      {
                        label: t('hosts.down'),
                        icon: IconArrowDown,
                        run: at < list.length - 1 ? move(at, at + 1) : undefined,
                      },
                      { label: t('common.edit'), icon: IconEdit, run: () => setEdited(at) },
                      { label: t('common.delete'), icon: IconDelete, run: ask(name, at) },
                    ]}
                  />
                ),
              },
            ]}
          />
        </>
      )}
      {edited !== undefined && (
        <ApplicationForm
          stored={stored}
          at={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Stack>
  );
}
