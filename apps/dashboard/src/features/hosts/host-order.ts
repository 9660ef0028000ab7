import type { Host } from '../../api/types';

/** The hosts as the API sorts them. */
export const sorted = (hosts: readonly Host[]): Host[] =>
  [...hosts].sort((a, b) => a.priority - b.priority || a.id - b.id);

/** The hosts after one has moved, with priorities that say so; those that stay as they are keep theirs where that is possible. */
export function moved(hosts: readonly Host[], from: number, to: number): Host[] {
  const list = [...hosts];
  const [host] = list.splice(from, 1);
  if (host === undefined || to < 0 || to > list.length) return [...hosts];
  list.splice(to, 0, host);
  return list.map((one, at) => ({ ...one, priority: at + 1 }));
}

/** The hosts whose priority differs from before. */
export const changedOrder = (before: readonly Host[], after: readonly Host[]): Host[] =>
  after.filter(({ id, priority }) => before.find((one) => one.id === id)?.priority !== priority);
