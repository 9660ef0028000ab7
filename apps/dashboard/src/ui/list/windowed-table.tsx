import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ErrorPanel } from '../feedback/error-panel';
import { pageOf } from './row-pages';
import { type Column, ROW_HEIGHT, TableRow } from './table-row';
import { pageQuery, type RowsPage, type RowsSource, useWindow } from './use-window';
import classes from './windowed-table.module.css';

const OVERSCAN = 6;
const SETTLED_MS = 60;

interface Props<Row> extends RowsSource<Row> {
  label: string;
  /** Others than before draw every row again. */
  columns: readonly Column<Row>[];
  /** The widths of the columns, as `grid-template-columns`. */
  template: string;
  refreshMs?: number;
  /** The row at the top when the list is shown first, and where it is told from then on. */
  startRow?: number;
  onTopRow?: (row: number) => void;
  onTotal?: (total: number) => void;
  empty: ReactNode;
}

/** A table over any number of rows in one scroller, of which only the pages in sight are loaded. */
export function WindowedTable<Row>({
  label,
  columns,
  template,
  queryKey,
  load,
  refreshMs,
  startRow = 0,
  onTopRow,
  onTotal,
  empty,
}: Props<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const client = useQueryClient();
  const [count, setCount] = useState(
    () =>
      client.getQueryData<RowsPage<Row>>(pageQuery({ queryKey, load }, pageOf(startRow)).queryKey)?.total ??
      startRow + 1,
  );
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    initialOffset: startRow * ROW_HEIGHT,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? startRow;
  const last = items.at(-1)?.index ?? startRow;
  const range = useMemo(() => ({ first, last }), [first, last]);
  // While the list is flung, the pages that fly past are not asked for.
  const [settled] = useDebouncedValue(range, SETTLED_MS, { leading: true });
  const rows = useWindow({
    queryKey,
    load,
    ...(virtualizer.isScrolling ? settled : range),
    ...(refreshMs !== undefined && { refreshMs }),
  });
  const top = Math.floor((virtualizer.scrollOffset ?? 0) / ROW_HEIGHT);
  useEffect(() => {
    if (!virtualizer.isScrolling) onTopRow?.(top);
  }, [top, virtualizer.isScrolling, onTopRow]);
  useEffect(() => {
    if (rows.isPending) return;
    setCount(rows.total);
    onTotal?.(rows.total);
  }, [rows.total, rows.isPending, onTotal]);
  const start = useRef(startRow);
  useEffect(() => {
    if (count <= start.current + 1) return;
    if (start.current > 0) virtualizer.scrollToIndex(start.current, { align: 'start' });
    start.current = 0;
  }, [count, virtualizer]);

  const moveFocus = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const current = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null;
    if (step === undefined || !current) return;
    event.preventDefault();
    const next = Number(current.dataset['row']) + step;
    virtualizer.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${next}"] a`)?.focus());
  };

  if (rows.error && rows.total === 0) return <ErrorPanel error={rows.error} retry={rows.retry} />;
  if (!rows.isPending && rows.total === 0) return <div className={classes.frame}>{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
    <section className={classes.frame} ref={scroller} tabIndex={0} aria-label={label}>
      <table className={classes.table} aria-rowcount={rows.total} aria-busy={rows.isPending}>
        <thead className={classes.head}>
          <tr className={classes.row} style={{ gridTemplateColumns: template }}>
            {columns.map(({ id, header, sorted }) => (
              <th key={id} data-column={id} aria-sort={sorted} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={classes.body} style={{ blockSize: virtualizer.getTotalSize() }} onKeyDown={moveFocus}>
          {items.map(({ index }) => (
            <TableRow key={index} index={index} row={rows.rowAt(index)} columns={columns} template={template} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
