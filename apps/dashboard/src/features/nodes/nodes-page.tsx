import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { nodesQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { EmptyState } from '../../ui/feedback/empty-state';
import { useFormat } from '../../ui/i18n/format';
import { IconPlus } from '../../ui/icons';
import { QueryView } from '../../ui/list/query-view';
import { Page } from '../../ui/page';
import { useShortcuts } from '../../ui/shortcuts/shortcuts';
import { AddNode, type Enrolled } from './add-node';
import { EnrolmentDialog } from './enrolment-dialog';
import { NodeLogs } from './node-logs';
import { NodeMenu } from './node-menu';
import { NodesTable } from './nodes-table';

const EditNode = lazy(async () => ({ default: (await import('./edit-node')).EditNode }));
const NodeDrawer = lazy(async () => ({ default: (await import('./node-drawer')).NodeDrawer }));

/** The nodes, with what they do at this moment. */
export function NodesPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const nodes = useQuery(nodesQuery);
  const [isAdding, setAdding] = useState(false);
  const [logsOf, setLogsOf] = useState<Node>();
  const [edited, setEdited] = useState<Node>();
  const [shownId, setShown] = useState<number>();
  const shown = nodes.data?.find(({ id }) => id === shownId);
  const [enrolled, setEnrolled] = useState<Enrolled>();
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
            <NodesTable
              nodes={list}
              onShow={({ id }) => setShown(id)}
              menuOf={(node) => (
                <NodeMenu
                  node={node}
                  onEdit={() => setEdited(node)}
                  onLogs={() => setLogsOf(node)}
                  onEnrolled={setEnrolled}
                />
              )}
            />
          )
        }
      </QueryView>
      {isAdding && (
        <AddNode
          onClose={() => setAdding(false)}
          onAdded={(added) => {
            setAdding(false);
            setEnrolled(added);
          }}
        />
      )}
      {enrolled && <EnrolmentDialog {...enrolled} onClose={() => setEnrolled(undefined)} />}
      <Suspense>
        {shown && (
          <NodeDrawer
            node={shown}
            onClose={() => setShown(undefined)}
            onEdit={() => setEdited(shown)}
            onLogs={() => setLogsOf(shown)}
          />
        )}
        {edited && <EditNode node={edited} onClose={() => setEdited(undefined)} />}
      </Suspense>
      {logsOf && <NodeLogs node={logsOf} onClose={() => setLogsOf(undefined)} />}
    </Page>
  );
}
