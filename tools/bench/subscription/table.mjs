import { columns, figure } from '../columns.mjs';
import { GOAL_P99 } from './requests.mjs';

const FORMATS = ['', 'bytes', 'answers/s', 'p50', 'p99', 'CPU', 'bare route/s', 'p99', 'CPU', 'ratio', 'goal'];
const PAIRS = ['', 'CPU without', 'CPU with', 'difference'];
const MEMORY = ['answers', 'memory of the service'];

/** Formats the table. CPU is the server's time for one answer; the ratio compares it with the bare route. */
export function formatTable(rows) {
  const cells = rows.map(({ what, goal, service, bare }) => {
    const [own, other] = [medians(service), medians(bare)];
    return [
      what,
      count(own.bytes),
      count(own.rate),
      figure(own.p50),
      figure(own.p99),
      figure(own.cpu),
      count(other.rate),
      figure(other.p99),
      figure(other.cpu),
      `${(own.cpu / other.cpu).toFixed(1)} ×`,
      verdict(own, goal),
    ];
  });
  return columns(FORMATS, cells, 'goal');
}

/**
 * Formats the table of pairs: the server's processor time for one answer without and with the settings. The difference is the
 * median of those of the turns, since other programs slow down both halves of a turn alike.
 */
export function pairTable(rows) {
  const shares = rows.map(({ without, with: changed }) => changed.map(({ cpu }, turn) => cpu / without[turn].cpu - 1));
  const cells = rows.map(({ what, without, with: changed }, row) => [
    what,
    micro(medians(without).cpu),
    micro(medians(changed).cpu),
    percent(median(shares[row])),
  ]);
  return `${columns(PAIRS, cells)}\n\nall formats: ${percent(median(shares.flat()))}, the median of ${shares.flat().length} pairs`;
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

const micro = (milliseconds) => `${Math.round(milliseconds * 1000)} µs`;

export function memoryTable(rows) {
  return columns(
    MEMORY,
    rows.map(({ answers, mebibytes }) => [count(answers), figure(mebibytes, 'MiB')]),
  );
}

const count = (value) => Math.round(value).toLocaleString('en');

function verdict({ rate, p99 }, goal) {
  const texts = goal === undefined ? [] : [`${count(goal)}/s${rate < goal ? '  MISSED' : ''}`];
  if (p99 > GOAL_P99) texts.push('p99 MISSED');
  return texts.join(', ');
}

const medians = (runs) =>
  Object.fromEntries(Object.keys(runs[0]).map((name) => [name, median(runs.map((run) => run[name]))]));

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
