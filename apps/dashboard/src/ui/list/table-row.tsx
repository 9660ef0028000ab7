import { memo, type ReactNode } from 'react';
import { ErrorBoundary } from '../feedback/error-panel';
import classes from './windowed-table.module.css';

/** The height of every row, in pixels. */
export const ROW_HEIGHT = 60;

export interface Column<Row> {
  id: string;
  header: ReactNode;
  /** The order in which the column is sorted now, for those who cannot see the arrow. */
  sorted?: 'ascending' | 'descending' | 'none' | undefined;
  cell: (row: Row) => ReactNode;
}

interface RowProps<Row> {
  index: number;
  /** Undefined while it is loaded. */
  row: Row | undefined;
  columns: readonly Column<Row>[];
  template: string;
}

/** A row of a long table. It is drawn again only when it is another one, or when the columns are. */
export const TableRow = memo(function TableRow<Row>({ index, row, columns, template }: RowProps<Row>) {
  const transform = `translateY(${index * ROW_HEIGHT}px)`;
  return (
    <tr
      data-row={index}
      aria-rowindex={index + 1}
      className={classes.row}
      style={{ gridTemplateColumns: template, blockSize: ROW_HEIGHT, transform }}
    >
      {columns.map(({ id, cell }) => (
        <td key={id} data-column={id}>
          {row === undefined ? (
            <span className={classes.awaited} />
          ) : (
            <ErrorBoundary resetKey={row} fallback="—">
              {cell(row)}
            </ErrorBoundary>
          )}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: RowProps<Row>) => ReactNode;
