import type { EntityManager } from 'typeorm';
import type { UsageQuery, UsageView } from './usage.dto.js';
import { inZone, type UsageRange, usageRange } from './usage-range.js';

/** A table of the history, and what an answer shows of it. */
export interface UsageSource<Sums extends object> {
  table: 'node_user_usages' | 'admin_usages' | 'node_usages';
  columns: readonly string[];
  /** The sums of these columns under their names. */
  view: (sums: readonly number[]) => Sums;
  /** On the rows that count; its parameter is `$4`. */
  condition?: { sql: string; parameter: unknown };
}

interface Row {
  node_id: number;
  period_start: Date;
  sums: number[];
}

const ALL_NODES = -1;

/** Periods in which nothing was used are left out. */
export async function readUsage<Sums extends object>(
  manager: EntityManager,
  source: UsageSource<Sums>,
  query: UsageQuery,
): Promise<UsageView<Sums & { period_start: string }>> {
  const range = usageRange(query, new Date());
  const { period, start, end, offset } = range;
  const { condition } = source;
  const rows = await manager.query<Row[]>(usageSql(source, range, query.group_by_node ?? false), [
    ...[start, end, query.node_id ?? null],
    ...(condition ? [condition.parameter] : []),
  ]);
  const stats: Record<string, (Sums & { period_start: string })[]> = {};
  for (const { node_id, period_start, sums } of rows) {
    stats[node_id] ??= [];
    stats[node_id].push({ ...source.view(sums), period_start: inZone(period_start, offset) });
  }
  return { period, start: inZone(start, offset), end: inZone(end, offset), stats };
}

/** Sums may pass what a number holds exactly; as `float8` they are rounded then, which is still the best answer. */
function usageSql({ table, columns, condition }: UsageSource<object>, range: UsageRange, byNode: boolean): string {
  const sums = columns.map((column) => `sum(${column})`).join(', ');
  return `
    SELECT ${byNode ? 'node_id' : ALL_NODES} AS node_id, ${periodStart(range)} AS period_start,
      ARRAY[${sums}]::float8[] AS sums
    FROM ${table}
    WHERE hour >= $1 AND hour < $2 AND ($3::integer IS NULL OR node_id = $3)
      AND ${condition?.sql ?? 'true'}
    GROUP BY 1, 2 HAVING greatest(${sums}) > 0 ORDER BY 1, 2`;
}

/** An hour stays what it is in UTC, also where local hours begin at another minute. */
function periodStart({ period, offset }: UsageRange): string {
  if (period === 'minute' || period === 'hour') return 'hour';
  const zone = `make_interval(mins => ${offset})`;
  return `date_trunc('${period}', hour AT TIME ZONE ${zone}) AT TIME ZONE ${zone}`;
}
