import { columns, figure } from '../columns.mjs';

const COLUMNS = ['', 'node', 'engine alone', 'ratio', 'goal'];

export function table(rows) {
  const cells = rows.map(({ what, node, engine, unit, goal }) => [
    what,
    figure(node, unit),
    figure(engine, unit),
    node === undefined || engine === undefined ? '' : `${(node / engine).toFixed(2)} ×`,
    goal,
  ]);
  return columns(COLUMNS, cells, 'goal');
}
