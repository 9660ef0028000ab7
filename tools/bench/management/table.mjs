import { columns, figure } from '../columns.mjs';

const COLUMNS = ['', 'median', 'p95', 'bare route', 'bare SQL', 'ratio', 'goal'];

/** The ratio says how far a request is from a bare route and bare SQL together. */
export function table(rows) {
  const cells = rows.map(({ what, median, p95, route, sql, goal }) => [
    what,
    figure(median),
    figure(p95),
    figure(route),
    figure(sql),
    `${(median / (route + sql)).toFixed(2)} ×`,
    goal === undefined ? '' : `${goal.toLocaleString('en')} ms${median > goal ? '  MISSED' : ''}`,
  ]);
  return columns(COLUMNS, cells, 'goal');
}
