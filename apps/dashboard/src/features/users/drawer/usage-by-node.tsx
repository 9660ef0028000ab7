import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { nodesQuery, selfQuery } from '../../../api/queries';
import { useFormat } from '../../../ui/i18n/format';
import type { NodeShare } from './node-shares';

/** Through which nodes the traffic went. Only sudo admins know nodes by their names. */
export function UsageByNode({ shares }: { shares: readonly NodeShare[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: self } = useQuery(selfQuery);
  const { data: nodes } = useQuery({ ...nodesQuery, enabled: self?.is_sudo === true });
  const nameOf = (node: string) => nodes?.find(({ id }) => `${id}` === node)?.name ?? t('users.nodeOf', { id: node });
  return (
    <Stack gap="xs">
      {shares.map(({ node, bytes, part }) => (
        <div key={node}>
          <Text size="sm" component="div" style={{ display: 'flex', justifyContent: 'space-between', gap: 8 }}>
            <bdi>{nameOf(node)}</bdi>
            <span>
              <bdi>{format.bytes(bytes)}</bdi> · {format.percent(part)}
            </span>
          </Text>
          <Progress value={part * 100} size="sm" mt={4} aria-label={nameOf(node)} />
        </div>
      ))}
    </Stack>
  );
}
