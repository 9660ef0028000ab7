import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Node } from '../../api/types';
import { NodeStateBadge } from '../../ui/list/node-state-badge';

/** The state of a node, and what the node or management says about it. */
export function NodeState({ node: { status, message, core_pending } }: { node: Node }) {
  const { t } = useTranslation();
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
