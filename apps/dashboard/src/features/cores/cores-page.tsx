import { Anchor, Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { coresQuery, nodesQuery } from '../../api/queries';
import { confirm } from '../../ui/feedback/confirm';
import { notifyDone } from '../../ui/feedback/notify';
import { useFormat } from '../../ui/i18n/format';
import { IconDelete, IconPlus, IconRefresh } from '../../ui/icons';
import { QueryView } from '../../ui/list/query-view';
import { RowActions } from '../../ui/list/row-actions';
import { SimpleTable } from '../../ui/list/simple-table';
import { Page } from '../../ui/page';
import { useShortcuts } from '../../ui/shortcuts/shortcuts';

const CreateCore = lazy(async () => ({ default: (await import('./create-core')).CreateCore }));
/** It cannot be deleted. */
const DEFAULT_CORE = 1;

/** The configurations of the engine, each with the nodes that run it. */
export function CoresPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const cores = useQuery(coresQuery);
  const { data: nodes } = useQuery(nodesQuery);
  const restart = useMutation({
    mutationFn: (id: number) => dataOf(api.POST('/api/core/{core_id}/restart', { params: { path: { core_id: id } } })),
    onSuccess: () => {
      notifyDone(t('cores.restarted'));
      return client.invalidateQueries({ queryKey: ['nodes'] });
    },
  });
  const remove = useMutation({
    mutationFn: (id: number) => dataOf(api.DELETE('/api/core/{core_id}', { params: { path: { core_id: id } } })),
    onSuccess: () =>
      Promise.all(['cores', 'inbounds', 'nodes'].map((name) => client.invalidateQueries({ queryKey: [name] }))),
  });
  const askDelete = (id: number, name: string) =>
    confirm({
      title: t('users.deleteTitle', { username: name }),
      text: t('cores.deleteText'),
      action: t('common.delete'),
      onConfirm: () => remove.mutate(id),
    });
  const [isCreating, setCreating] = useState(false);
  const create = () => setCreating(true);
  useShortcuts([{ keys: 'n', label: t('cores.create'), run: create }]);
  return (
    <Page
      title={t('nav.cores')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create}>
          {t('cores.create')}
        </Button>
      }
    >
      <QueryView query={cores}>
        {({ cores: list }) => (
          <SimpleTable
            label={t('nav.cores')}
            rows={list}
            rowKey={({ id }) => id}
            columns={[
              {
                id: 'name',
                header: t('users.name'),
                cell: ({ id, name }) => (
                  <Anchor
                    size="sm"
                    fw={600}
                    renderRoot={(props) => <Link {...props} to="/cores/$id" params={{ id: `${id}` }} />}
                  >
                    <bdi>{name}</bdi>
                  </Anchor>
                ),
              },
              {
                id: 'nodes',
                header: t('nav.nodes'),
                cell: ({ id }) => (
                  <bdi>
                    {nodes
                      ?.filter((node) => node.core_config_id === id)
                      .map(({ name }) => name)
                      .join(', ') || '–'}
                  </bdi>
                ),
              },
              {
                id: 'created',
                header: t('users.created'),
                isWide: true,
                cell: ({ created_at }) => format.day(created_at),
              },
              {
                id: 'restart',
                header: t('common.actions'),
                cell: ({ id, name }) => (
                  <Group gap="xs" wrap="nowrap">
                    <Button
                      size="compact-sm"
                      variant="default"
                      leftSection={<IconRefresh size={14} />}
                      onClick={() =>
                        confirm({
                          title: t('cores.restartTitle'),
                          text: t('cores.restartText'),
                          action: `${t('cores.restart')}: ${name}`,
                          isDangerous: false,
                          onConfirm: () => restart.mutate(id),
                        })
                      }
                    >
                      {t('cores.restart')}
                    </Button>
                    <RowActions
                      name={name}
                      actions={[
                        {
                          label: t('common.delete'),
                          icon: IconDelete,
                          run: id === DEFAULT_CORE ? undefined : () => askDelete(id, name),
                        },
                      ]}
                    />
                  </Group>
                ),
              },
            ]}
          />
        )}
      </QueryView>
      <Suspense>{isCreating && <CreateCore onClose={() => setCreating(false)} />}</Suspense>
    </Page>
  );
}
