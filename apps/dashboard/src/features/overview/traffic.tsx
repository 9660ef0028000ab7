import { queryOptions } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { TrafficByRange } from '../../ui/chart/traffic-by-range';

const MINUTE_MS = 60_000;

const trafficQuery = (period: 'hour' | 'day', start: string) =>
  queryOptions({
    queryKey: ['traffic', period, start],
    queryFn: ({ signal }) => dataOf(api.GET('/api/users/usage', { params: { query: { period, start } }, signal })),
    refetchInterval: MINUTE_MS,
  });

/** The traffic of all users that the admin may see, by hour or by day. */
export function Traffic() {
  const { t } = useTranslation();
  return <TrafficByRange label={t('overview.traffic')} heading initial="week" query={trafficQuery} />;
}
