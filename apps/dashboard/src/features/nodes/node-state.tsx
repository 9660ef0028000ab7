import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isAwaited } from '../../api/awaited-node';
import type { Node } from '../../api/types';
import { NodeStateBadge } from '../../ui/list/node-state-badge';
import { StatusBadge } from '../../ui/list/status-badge';

/** The state of a node, and what the node or management says about it. */
export function NodeState({ node }: { node: Node }) {
  const { t } = useTranslation();
  const { status, message, core_pending } = node;
  if (isAwaited(node))
    return (
      <>
        <StatusBadge tone="quiet">{t('nodes.awaited')}</StatusBadge>
        <Text size="xs" mt={4}>
          {t('nodes.awaitedHint')}
        </Text>
      </>
    );
  return (
    <>
      <NodeStateBadge status={status} />
      {message && (
        <Text size="xs" mt={4}>
          {message}
        </Text>
      )}
      {core_pending && (
        <Text size="xs" mt={4}>
          {t('nodes.pending')}
        </Text>
      )}
    </>
  );
}
