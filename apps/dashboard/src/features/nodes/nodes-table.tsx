import { Anchor } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { coresQuery, liveQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { useFormat } from '../../ui/i18n/format';
import { SimpleTable } from '../../ui/list/simple-table';
import { NodeState } from './node-state';
import classes from './nodes-table.module.css';

/** A table with a column for the state needs more room than this. */
const NARROW = '(max-width: 62em)';

interface Props {
  nodes: Node[];
  onShow: (node: Node) => void;
  menuOf: (node: Node) => ReactNode;
}

/** The nodes with their state and what they do now. In a narrow window the state stands below the name. */
export function NodesTable({ nodes, onShow, menuOf }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: live } = useQuery(liveQuery);
  const { data: cores } = useQuery(coresQuery);
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  return (
    <SimpleTable
      label={t('nav.nodes')}
      rows={nodes}
      rowKey={({ id }) => id}
      columns={[
        {
          id: 'name',
          header: t('nodes.name'),
          cell: (node) => (
            <div className={classes.place}>
              <Anchor component="button" size="sm" fw={600} ta="start" onClick={() => onShow(node)}>
                <bdi>{node.name}</bdi>
              </Anchor>
              <div>
                <bdi>{`${node.address}:${node.port}`}</bdi>
              </div>
              {isNarrow && (
                <div className={classes.state}>
                  <NodeState node={node} />
                </div>
              )}
            </div>
          ),
        },
        ...(isNarrow
          ? []
          : [{ id: 'state', header: t('nodes.state'), cell: (node: Node) => <NodeState node={node} /> }]),
        {
          id: 'now',
          header: t('nodes.now'),
          isWide: true,
          cell: ({ id }) => {
            const now = live?.[String(id)];
            if (!now) return '–';
            return (
              <div className={classes.now}>
                <bdi>{`↓ ${format.bytes(now.outgoing_bandwidth_speed)}/s`}</bdi>
                <bdi>{`↑ ${format.bytes(now.incoming_bandwidth_speed)}/s`}</bdi>
                <span>{t('nodes.processorNow', { part: format.percent(now.cpu_usage / 100) })}</span>
              </div>
            );
          },
        },
        {
          id: 'total',
          header: t('nodes.total'),
          isWide: true,
          cell: ({ uplink, downlink }) => <bdi className={classes.whole}>{format.bytes(uplink + downlink)}</bdi>,
        },
        {
          id: 'core',
          header: t('nodes.core'),
          isWide: true,
          cell: ({ core_config_id: id, core_version }) => (
            <div className={classes.core}>
              <bdi>{cores?.cores.find((core) => core.id === id)?.name ?? '–'}</bdi>
              <div>{core_version && <bdi>Xray {core_version}</bdi>}</div>
            </div>
          ),
        },
        { id: 'menu', header: t('common.actions'), cell: menuOf },
      ]}
    />
  );
}
