import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ChartProps } from './periods';

const Plot = lazy(() => import('./plot'));

/** Traffic over time as bars. The library that draws is loaded with the first chart. */
export const TrafficChart = (props: ChartProps) => (
  <Suspense fallback={<Skeleton height={props.height ?? 200} />}>
    <Plot {...props} />
  </Suspense>
);
