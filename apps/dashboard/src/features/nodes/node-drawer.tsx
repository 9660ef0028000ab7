import { Button, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isAwaited } from '../../api/awaited-node';
import { api, dataOf } from '../../api/client';
import { readNodeMessage } from '../../api/node-message';
import { coresQuery, liveQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { SideDialog } from '../../ui/dialog/dialog';
import { Notice } from '../../ui/feedback/notice';
import { notifyDone } from '../../ui/feedback/notify';
import { useFormat } from '../../ui/i18n/format';
import { IconActivity, IconEdit, IconRefresh } from '../../ui/icons';
import { Facts } from '../../ui/list/facts';
import { Figure } from '../../ui/list/figure';
import { NodeState } from './node-state';
import { RefusedUsers } from './refused-users';

interface Props {
  node: Node;
  onClose: () => void;
  onEdit: () => void;
  onLogs: () => void;
}

/** The engine kept failing with what it was sent. */
const FALLBACK = 'ENGINE_FALLBACK';
/** Kinds of problems of a connected node that are as bad as an error. */
const BAD_CODES: readonly (string | null)[] = ['TRAFFIC_IMPLAUSIBLE', FALLBACK];

/** Everything about one node: what it does now, what is wrong with it, and whether it runs what it should. */
export function NodeDrawer({ node, onClose, onEdit, onLogs }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const { data: live } = useQuery(liveQuery);
  const { data: cores } = useQuery(coresQuery);
  const sync = useMutation({
    mutationFn: () => dataOf(api.PUT('/api/node/{node_id}/sync', { params: { path: { node_id: node.id } } })),
    onSuccess: () => {
      notifyDone(t('nodes.synced'));
      return client.invalidateQueries({ queryKey: ['nodes'] });
    },
  });
  const now = live?.[`${node.id}`];
  const { lines, refused, unnamed } = readNodeMessage(node.message);
  const { certificate_expires_at: end, drift_found_at: driftedAt } = node;
  const core = cores?.cores.find(({ id }) => id === node.core_config_id)?.name ?? '–';
  const isWaiting = isAwaited(node);
  const isBad = node.status === 'error' || BAD_CODES.includes(node.message_code);
  const stored = node.core_pending ? t('nodes.runsOld') : t('nodes.runsNew');
  const runs = node.message_code === FALLBACK ? t('nodes.runsFallback') : stored;
  const drift =
    driftedAt === null
      ? t('nodes.driftNever')
      : t('nodes.driftFound', { when: format.relative(driftedAt), number: format.number(node.drift_count) });
  return (
    <SideDialog
      onClose={onClose}
      size={560}
      title={
        <Title order={2} size="h4">
          <bdi>{node.name}</bdi>
        </Title>
      }
    >
      <Stack gap="md">
        <Group gap="xs">
          <NodeState node={{ ...node, message: null }} />
        </Group>
        {lines.map((line) => (
          <Notice
            key={line}
            tone={isWaiting ? 'quiet' : isBad ? 'bad' : 'warning'}
            title={isWaiting ? t('nodes.lastError') : undefined}
          >
            <div dir="ltr">{line}</div>
          </Notice>
        ))}
        <RefusedUsers refused={refused} unnamed={unnamed} />
        {now && (
          <SimpleGrid cols={2} spacing="xs">
            <Figure name={t('nodes.sends')} value={`${format.bytes(now.outgoing_bandwidth_speed)}/s`} />
            <Figure name={t('nodes.receives')} value={`${format.bytes(now.incoming_bandwidth_speed)}/s`} />
            <Figure name={t('nodes.processor')} value={format.percent(now.cpu_usage / 100)} />
            <Figure name={t('nodes.memory')} value={format.percent(now.mem_used / Math.max(now.mem_total, 1))} />
          </SimpleGrid>
        )}
        <Facts
          facts={[
            { name: t('nodes.address'), value: <bdi>{`${node.address}:${node.port}`}</bdi> },
            { name: t('nodes.core'), value: <bdi>{core}</bdi> },
            { name: t('nodes.runs'), value: node.node_version === null ? '–' : runs },
            { name: t('nodes.drift'), value: node.node_version === null ? '–' : drift },
            {
              name: t('nodes.versions'),
              value: <bdi>{`Rampart ${node.node_version ?? '–'}, Xray ${node.core_version ?? '–'}`}</bdi>,
            },
            {
              name: t('nodes.certificate'),
              value: end ? `${format.day(end)} (${format.relative(end)})` : t('nodes.ownCertificate'),
            },
            {
              name: t('nodes.total'),
              value: <bdi>{`↓ ${format.bytes(node.downlink)} ↑ ${format.bytes(node.uplink)}`}</bdi>,
            },
            { name: t('nodes.coefficient'), value: format.number(node.usage_coefficient) },
          ]}
        />
        <Group gap="xs">
          <Button leftSection={<IconEdit size={16} />} onClick={onEdit}>
            {t('common.edit')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={sync.isPending}
            onClick={() => sync.mutate()}
          >
            {t('nodes.sync')}
          </Button>
          <Button variant="default" leftSection={<IconActivity size={16} />} onClick={onLogs}>
            {t('nodes.logs')}
          </Button>
        </Group>
      </Stack>
    </SideDialog>
  );
}
