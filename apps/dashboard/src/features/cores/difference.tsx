import { useTranslation } from 'react-i18next';
import type { CoreDifference } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import { useFormat } from '../../ui/i18n/format';
import { Facts } from '../../ui/list/facts';

/** What a save would change: inbounds, and who is touched by that. */
export function Difference({ difference }: { difference: CoreDifference }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { added, changed, removed, groups, hosts, nodes, users, needs_restart } = difference;
  if (added.length + changed.length + removed.length === 0 && !needs_restart)
    return <Notice tone="quiet" title={t('cores.noChange')} />;
  const names = (list: readonly string[]) => (list.length > 0 ? <bdi>{list.join(', ')}</bdi> : '–');
  const mustRefresh = changed.length + removed.length > 0 && hosts.length > 0 && users > 0;
  const cut = nodes.filter(({ cut_reason }) => cut_reason !== null);
  return (
    <>
      {cut.length === 0 ? (
        <Notice tone="good" title={t('cores.cutsNobody')} />
      ) : (
        <Notice tone="warning" isAlert title={t('cores.cuts')}>
          {cut.map(({ id, name, cut_reason }) => (
            <div key={id} dir="ltr">
              {name}: {cut_reason}
            </div>
          ))}
        </Notice>
      )}
      {mustRefresh && (
        <Notice tone="warning" isAlert title={t('cores.mustRefresh', { count: users })}>
          {t('cores.mustRefreshText')}
        </Notice>
      )}
      <Facts
        facts={[
          { name: t('cores.added'), value: names(added) },
          { name: t('cores.changed'), value: names(changed) },
          { name: t('cores.removed'), value: names(removed) },
          { name: t('nav.hosts'), value: names(hosts.map(({ remark }) => remark)) },
          { name: t('nav.groups'), value: names(groups.map(({ name }) => name)) },
          { name: t('nav.users'), value: format.number(users) },
          { name: t('nav.nodes'), value: names(nodes.map(({ name }) => name)) },
          { name: t('cores.needsRestart'), value: needs_restart ? t('cores.yes') : t('cores.no') },
        ]}
      />
    </>
  );
}
