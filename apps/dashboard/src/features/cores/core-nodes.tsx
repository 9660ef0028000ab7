import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isAwaited } from '../../api/awaited-node';
import { nodesQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import { Facts } from '../../ui/list/facts';
import { NodeStateBadge } from '../../ui/list/node-state-badge';
import { StatusBadge } from '../../ui/list/status-badge';

/** The nodes of a core, with how far each of them is with it. It follows a restart as it happens. */
export function CoreNodes({ coreId }: { coreId: number }) {
  const { t } = useTranslation();
  const { data } = useQuery(nodesQuery);
  if (!data) return null;
  const nodes = data.filter(({ core_config_id: id }) => id === coreId);
  if (nodes.length === 0)
    return (
      <Notice tone="warning" title={t('cores.noNode')}>
        <Link to="/nodes">{t('cores.noNodeText')}</Link>
      </Notice>
    );
  const waiting = nodes.filter(({ core_pending: isPending, status }) => isPending && status !== 'disabled').length;
  const isConnected = nodes.some(({ status }) => status === 'connected');
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h4">
        {t('cores.onNodes')}
      </Title>
      <div role="status">
        {waiting === 0 && isConnected && t('cores.allRun')}
        {waiting > 0 && (
          <Notice tone="warning" title={t('cores.waiting', { count: waiting })}>
            {t('cores.waitingText')}
          </Notice>
        )}
      </div>
      <Facts facts={nodes.map((node) => ({ name: node.name, value: <Progress node={node} /> }))} />
    </Stack>
  );
}

function Progress({ node }: { node: Node }) {
  const { t } = useTranslation();
  const { status, core_pending: isPending, message } = node;
  if (isAwaited(node)) return <StatusBadge tone="quiet">{t('nodes.awaited')}</StatusBadge>;
  if (status === 'connected')
    return (
      <StatusBadge tone={isPending ? 'warning' : 'good'}>
        {isPending ? t('cores.pending') : t('cores.runs')}
      </StatusBadge>
    );
  return (
    <>
      <NodeStateBadge status={status} />
      {message && <div dir="ltr">{message}</div>}
    </>
  );
}
