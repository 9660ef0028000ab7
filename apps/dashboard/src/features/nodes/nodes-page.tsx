import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { coresQuery, liveQuery, nodesQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { EmptyState } from '../../ui/feedback/empty-state';
import { useFormat } from '../../ui/i18n/format';
import { IconPlus } from '../../ui/icons';
import { QueryView } from '../../ui/list/query-view';
import { SimpleTable } from '../../ui/list/simple-table';
import { Page } from '../../ui/page';
import { useShortcuts } from '../../ui/shortcuts/shortcuts';
import { AddNode } from './add-node';
import { EnrolmentDialog } from './enrolment-dialog';
import { NodeLogs } from './node-logs';
import { NodeMenu } from './node-menu';
import { NodeState } from './node-state';

const EditNode = lazy(async () => ({ default: (await import('./edit-node')).EditNode }));
const NodeDrawer = lazy(async () => ({ default: (await import('./node-drawer')).NodeDrawer }));

/** The nodes, with what they do at this moment. */
export function NodesPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const nodes = useQuery(nodesQuery);
  const { data: live } = useQuery(liveQuery);
  const { data: cores } = useQuery(coresQuery);
  const [isAdding, setAdding] = useState(false);
  const [logsOf, setLogsOf] = useState<Node>();
  const [edited, setEdited] = useState<Node>();
  const [shownId, setShown] = useState<number>();
  const shown = nodes.data?.find(({ id }) => id === shownId);
  const [enrolment, setEnrolment] = useState<string>();
  const add = () => setAdding(true);
  useShortcuts([{ keys: 'n', label: t('nodes.add'), run: add }]);
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={add}>
      {t('nodes.add')}
    </Button>
  );
  return (
    <Page title={t('nav.nodes')} note={nodes.data && format.number(nodes.data.length)} actions={addButton}>
      <QueryView query={nodes}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t('nodes.emptyTitle')} text={t('nodes.emptyText')}>
              <Button onClick={add}>{t('nodes.add')}</Button>
            </EmptyState>
          ) : (
            <SimpleTable
              label={t('nav.nodes')}
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: 'name',
                  header: t('nodes.name'),
                  cell: ({ id, name, address, port }) => (
                    <>
                      <Anchor component="button" size="sm" fw={600} onClick={() => setShown(id)}>
                        <bdi>{name}</bdi>
                      </Anchor>
                      <div>
                        <bdi>{`${address}:${port}`}</bdi>
                      </div>
                    </>
                  ),
                },
                { id: 'state', header: t('nodes.state'), cell: (node) => <NodeState node={node} /> },
                {
                  id: 'now',
                  header: t('nodes.now'),
                  isWide: true,
                  cell: ({ id }) => {
                    const now = live?.[String(id)];
                    if (!now) return '–';
                    return `↓ ${format.bytes(now.outgoing_bandwidth_speed)}/s ↑ ${format.bytes(now.incoming_bandwidth_speed)}/s · ${format.percent(now.cpu_usage / 100)}`;
                  },
                },
                {
                  id: 'total',
                  header: t('nodes.total'),
                  isWide: true,
                  cell: ({ uplink, downlink }) => <bdi>{format.bytes(uplink + downlink)}</bdi>,
                },
                {
                  id: 'core',
                  header: t('nodes.core'),
                  isWide: true,
                  cell: ({ core_config_id: id, core_version }) => (
                    <>
                      <bdi>{cores?.cores.find((core) => core.id === id)?.name ?? '–'}</bdi>
                      <div>{core_version && <bdi>Xray {core_version}</bdi>}</div>
                    </>
                  ),
                },
                {
                  id: 'menu',
                  header: t('common.actions'),
                  cell: (node) => (
                    <NodeMenu
                      node={node}
                      onEdit={() => setEdited(node)}
                      onLogs={() => setLogsOf(node)}
                      onEnrolment={setEnrolment}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </QueryView>
      {isAdding && (
        <AddNode
          onClose={() => setAdding(false)}
          onAdded={(value) => {
            setAdding(false);
            setEnrolment(value);
          }}
        />
      )}
      {enrolment && <EnrolmentDialog value={enrolment} onClose={() => setEnrolment(undefined)} />}
      <Suspense>
        {shown && <NodeDrawer node={shown} onClose={() => setShown(undefined)} onEdit={() => setEdited(shown)} />}
        {edited && <EditNode node={edited} onClose={() => setEdited(undefined)} />}
      </Suspense>
      {logsOf && <NodeLogs node={logsOf} onClose={() => setLogsOf(undefined)} />}
    </Page>
  );
}
