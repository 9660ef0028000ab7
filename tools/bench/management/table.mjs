import { columns, figure } from '../columns.mjs';
import { GOALS } from './pressure.mjs';

const COLUMNS = ['', 'median', 'p95', 'bare route', 'bare SQL', 'ratio', 'goal'];

/** Formats the table. The ratio compares a request with the sum of a bare route and plain SQL. */
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

const PRESSURE_COLUMNS = [
  'under pressure',
  'calm p50',
  'calm p99',
  'p50',
  'p99',
  'worst',
  'failed',
  'p99 : calm',
  'goal',
];

/** Formats the latency for others with and without one admin who sends 700 changes at once, or 300 connections of a stranger. */
export function pressureTable({ rows, answers, answersPerSecond }) {
  const cells = rows.map(({ what, calm, pressed }) => {
    const times = pressed.p99 / calm.p99;
    const { slowdown, p99, worst } = GOALS;
    const missed = times > slowdown || pressed.p99 > p99 || pressed.worst > worst || pressed.failures > 0;
    return [
      what,
      figure(calm.p50),
      figure(calm.p99),
      figure(pressed.p50),
      figure(pressed.p99),
      figure(pressed.worst),
      `${pressed.failures}`,
      `${times.toFixed(1)} ×`,
      `${slowdown} ×, p99 ${p99} ms, worst ${worst} ms${missed ? '  MISSED' : ''}`,
    ];
  });
  const answered = `${Math.round(answersPerSecond)} a second: ${JSON.stringify(answers)}`;
  return `${columns(PRESSURE_COLUMNS, cells, 'goal')}\nThe others were answered, ${answered}`;
}
