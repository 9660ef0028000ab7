import { Fragment, type ReactNode } from 'react';
import { ErrorBoundary } from '../feedback/error-panel';
import classes from './simple-table.module.css';

export interface SimpleColumn<Row> {
  id: string;
  header: string;
  cell: (row: Row, index: number) => ReactNode;
  /** Whether a phone leaves the column out. */
  isWide?: boolean;
}

interface Props<Row> {
  label: string;
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  columns: readonly SimpleColumn<Row>[];
  rowProps?: (row: Row, index: number) => React.HTMLAttributes<HTMLTableRowElement>;
  /** What stands below a row over all columns; nothing for a row that is closed. */
  below?: (row: Row) => ReactNode;
}

/** A table of some dozens of rows. What cannot be drawn is contained in its cell. */
export function SimpleTable<Row>({ label, rows, rowKey, columns, rowProps, below }: Props<Row>) {
  return (
    <div className={classes.frame}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ id, header, isWide }) => (
              <th key={id} scope="col" data-wide={isWide}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            const more = below?.(row);
            return (
              <Fragment key={rowKey(row)}>
                <tr {...rowProps?.(row, index)}>
                  {columns.map(({ id, cell, isWide }) => (
                    <td key={id} data-wide={isWide}>
                      <ErrorBoundary resetKey={row} fallback="—">
                        {cell(row, index)}
                      </ErrorBoundary>
                    </td>
                  ))}
                </tr>
                {more && (
                  <tr>
                    <td colSpan={columns.length} className={classes.below}>
                      <ErrorBoundary resetKey={row} fallback="—">
                        {more}
                      </ErrorBoundary>
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
