import { useTranslation } from 'react-i18next';
import { TrafficByRange } from '../../../ui/chart/traffic-by-range';
import { usageQuery } from '../user-queries';
import { nodeShares } from './node-shares';
import { UsageByNode } from './usage-by-node';

/** The traffic of a user over a day, a week or a month, and the nodes through which it went. */
export function UserUsage({ username }: { username: string }) {
  const { t } = useTranslation();
  return (
    <TrafficByRange
      label={t('users.tabs.usage')}
      initial="month"
      query={(period, start) => usageQuery(username, period, start)}
      below={({ stats }) => <UsageByNode shares={nodeShares(stats)} />}
    />
  );
}
