import { keepPreviousData, type QueryKey, useQueries } from '@tanstack/react-query';
import { useRef } from 'react';
import { PAGE_ROWS, pageOf } from './row-pages';

const GC_MS = 30_000;
/** Browsers draw no scroller that is much higher. */
const MAX_ROWS = 500_000;

export interface RowsPage<Row> {
  rows: Row[];
  total: number;
}

/** A long list. */
export interface RowsSource<Row> {
  queryKey: QueryKey;
  /** Loads the rows from `offset` on, at most `limit` of them. */
  load: (offset: number, limit: number, signal: AbortSignal) => Promise<RowsPage<Row>>;
}

interface Options<Row> extends RowsSource<Row> {
  /** The first and the last row in sight. */
  first: number;
  last: number;
  refreshMs?: number;
}

/** The query of a page of a list. */
export const pageQuery = <Row>({ queryKey, load }: RowsSource<Row>, page: number) => ({
  queryKey: [...queryKey, 'page', page],
  queryFn: ({ signal }: { signal: AbortSignal }) => load(page * PAGE_ROWS, PAGE_ROWS, signal),
  gcTime: GC_MS,
});

/** Of a long list only the pages in sight are asked for and kept; `rowAt` answers undefined for a row that is not here yet. */
export function useWindow<Row>({ queryKey, load, first, last, refreshMs }: Options<Row>) {
  const known = useRef(0);
  const from = pageOf(first);
  const to = Math.max(from, pageOf(last));
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const pages = useQueries({
    queries: numbers.map((number) => ({
      ...pageQuery({ queryKey, load }, number),
      refetchInterval: refreshMs ?? false,
      ...(number === 0 && { placeholderData: keepPreviousData }),
    })),
  });
  const loaded = pages.find(({ data }) => data !== undefined)?.data;
  // A count that is none counts the rows that are here.
  if (loaded)
    known.current = loaded.total >= loaded.rows.length ? Math.min(loaded.total, MAX_ROWS) : loaded.rows.length;
  return {
    total: known.current,
    isPending: loaded === undefined && pages.some(({ isPending }) => isPending),
    error: pages.find(({ error }) => error)?.error ?? null,
    retry: () => void Promise.all(pages.map(({ refetch }) => refetch())),
    rowAt: (index: number): Row | undefined =>
      pages[Math.floor(index / PAGE_ROWS) - from]?.data?.rows[index % PAGE_ROWS],
  };
}
