import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBoundary, ErrorPanel } from '../feedback/error-panel';

/** What a query has answered; until then its place, or why there is nothing. */
export function QueryView<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
}) {
  const { data } = query;
  if (data !== undefined)
    return (
      <ErrorBoundary resetKey={data} reload={query.refetch}>
        <Answer data={data}>{children}</Answer>
      </ErrorBoundary>
    );
  if (query.error) return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton height={160} />;
}

function Answer<Data>({ data, children }: { data: Data; children: (data: Data) => ReactNode }) {
  return children(data);
}
