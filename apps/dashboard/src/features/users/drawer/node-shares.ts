export interface Period {
  period_start: string;
  total_traffic: number;
}

export interface NodeShare {
  /** The id of the node, as the API has it in keys. */
  node: string;
  bytes: number;
  /** The part of all traffic, from 0 to 1. */
  part: number;
}

/** How much of the traffic went through each node, the most first; nodes without traffic are left out. */
export function nodeShares(stats: Readonly<Record<string, readonly Period[]>>): NodeShare[] {
  const sums = Object.entries(stats).map(([node, periods]) => ({
    node,
    bytes: periods.reduce((sum, { total_traffic: bytes }) => sum + bytes, 0),
  }));
  const total = sums.reduce((sum, { bytes }) => sum + bytes, 0);
  return sums
    .filter(({ bytes }) => bytes > 0)
    .map((one) => ({ ...one, part: one.bytes / total }))
    .sort((a, b) => b.bytes - a.bytes);
}
