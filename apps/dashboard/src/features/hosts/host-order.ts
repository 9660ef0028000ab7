import type { Host } from '../../api/types';

/** The hosts in the order of these ids; those that are not named come last, as the API sorts them. */
export function arranged(hosts: readonly Host[], ids: readonly number[]): Host[] {
  const places = new Map(ids.map((id, place) => [id, place]));
  const place = ({ id }: Host) => places.get(id) ?? ids.length;
  return [...hosts].sort((a, b) => place(a) - place(b) || a.priority - b.priority || a.id - b.id);
}

/** The ids after one of them has got another place; a place beyond the ends changes nothing. */
export function moved(ids: readonly number[], id: number, to: number): number[] {
  if (!ids.includes(id) || to < 0 || to >= ids.length) return [...ids];
  return ids.filter((one) => one !== id).toSpliced(to, 0, id);
}
