import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listUsers } from '../../api/list-users';
import { coresQuery, groupsQuery, inboundsQuery, nodesQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import { useFormat } from '../../ui/i18n/format';
import { Facts } from '../../ui/list/facts';
import { coreEffect, type Granted } from './core-effect';

/** Tells before a node gets another core which inbounds it gains and loses, and how many users that concerns. */
export function CoreEffectNotice({ node, chosen }: { node: Node; chosen: number }) {
  const { data: cores } = useQuery(coresQuery);
  const { data: nodes } = useQuery(nodesQuery);
  const { data: groups } = useQuery(groupsQuery);
  const { data: inbounds } = useQuery(inboundsQuery);
  if (!cores || !nodes || !groups || !inbounds) return null;
  return <Effect {...coreEffect({ node, chosen, cores: cores.cores, nodes, groups: groups.groups, inbounds })} />;
}

function Effect({ gained, lost, unserved }: ReturnType<typeof coreEffect>) {
  const { t } = useTranslation();
  return (
    <Notice tone={lost.groups.length > 0 ? 'warning' : 'info'} isAlert title={t('nodes.coreEffect')}>
      <Facts
        facts={[
          { name: t('cores.added'), value: <Inbounds {...gained} /> },
          { name: t('cores.removed'), value: <Inbounds {...lost} /> },
        ]}
      />
      {unserved.length > 0 && t('nodes.coreUnserved', { names: unserved.join(', ') })}
    </Notice>
  );
}

/** Inbounds by their tags, with the number of users who have access to them. */
function Inbounds({ tags, groups }: Granted) {
  const { t } = useTranslation();
  const users = useUserCount(groups);
  if (tags.length === 0) return '–';
  return (
    <>
      <bdi>{tags.join(', ')}</bdi> · {t('nav.users')}: {users}
    </>
  );
}

/** How many users who may connect are in one of these groups; dots until it is known, and a dash where it cannot be. */
function useUserCount(groups: number[]): string {
  const format = useFormat();
  const { data, isError } = useQuery({
    // No part of `users`: events would count again each second.
    queryKey: ['user-count', groups],
    queryFn: ({ signal }) => listUsers(['id'], { group: groups, status: ['active', 'on_hold'], limit: 1 }, signal),
    enabled: groups.length > 0,
  });
  if (groups.length === 0) return format.number(0);
  if (data) return format.number(data.total);
  return isError ? '–' : '…';
}
