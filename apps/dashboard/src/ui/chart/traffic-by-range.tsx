import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../i18n/format';
import { QueryView } from '../list/query-view';
import { filled } from './periods';
import { TrafficChart } from './traffic-chart';

const RANGES = {
  day: { days: 1, period: 'hour', seconds: 3_600 },
  week: { days: 7, period: 'day', seconds: 86_400 },
  month: { days: 30, period: 'day', seconds: 86_400 },
} as const;
type Range = keyof typeof RANGES;
const DAY_SECONDS = 86_400;

/** Bytes by period; the keys of `stats` are the parts of which the traffic consists. */
interface Traffic {
  stats: Record<string, { period_start: string; total_traffic: number }[]>;
}

interface TrafficByRangeProps<T extends Traffic, K extends readonly unknown[]> {
  /** What the chart shows. */
  label: string;
  /** True: the label stands above the chart as a heading. */
  heading?: boolean;
  initial: Range;
  /** The request for the traffic since a moment, by hour or by day. */
  query: (period: 'hour' | 'day', start: string) => UseQueryOptions<T, Error, T, K>;
  /** What else is drawn from the answer. */
  below?: (traffic: T) => ReactNode;
}

/** Traffic over a day, a week or a month: the choice between them, the chart, and the sum. */
export function TrafficByRange<T extends Traffic, K extends readonly unknown[]>({
  label,
  heading = false,
  initial,
  query,
  below,
}: TrafficByRangeProps<T, K>) {
  const { t } = useTranslation();
  const format = useFormat();
  const [range, setRange] = useState(initial);
  const { days, period, seconds } = RANGES[range];
  // The period that has begun is shown too. Computed with every render, so that the chart moves on with each answer.
  const endSeconds = Math.floor(Date.now() / 1000 / seconds + 1) * seconds;
  const start = useMemo(() => new Date((endSeconds - days * DAY_SECONDS) * 1000), [endSeconds, days]);
  const traffic = useQuery(query(period, start.toISOString()));
  const { data } = traffic;
  const series = useMemo(() => {
    const known = Object.values(data?.stats ?? {}).flat();
    return filled(
      known.map(({ period_start, total_traffic }) => ({ at: period_start, bytes: total_traffic })),
      start,
      new Date(endSeconds * 1000),
      seconds,
    );
  }, [data, start, endSeconds, seconds]);
  const total = series.values.reduce((sum, value) => sum + value, 0);
  return (
    <Stack gap="sm" component="section">
      <Group justify="space-between">
        {heading && (
          <Title order={2} size="h4">
            {label}
          </Title>
        )}
        <SegmentedControl
          aria-label={label}
          value={range}
          onChange={(next) => setRange(next as Range)}
          data={[
            { value: 'day', label: t('common.last24Hours') },
            { value: 'week', label: t('common.last7Days') },
            { value: 'month', label: t('common.last30Days') },
          ]}
        />
      </Group>
      <QueryView query={traffic}>
        {(answer) => (
          <>
            <TrafficChart {...series} label={label} />
            <Text size="sm" c="var(--quiet)">
              {t('common.inTotal')} <bdi>{format.bytes(total)}</bdi>
            </Text>
            {below?.(answer)}
          </>
        )}
      </QueryView>
    </Stack>
  );
}
