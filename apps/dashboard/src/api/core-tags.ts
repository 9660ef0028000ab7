import type { Core } from './types';

type StoredCore = Pick<Core, 'config' | 'exclude_inbound_tags'>;

/** Between the tags of a fallback and of the inbound through whose port it is reached. */
const FALLBACK = '<=>';

/** Which of these inbounds a core offers; a fallback has the name `child<=>parent`. */
export function offeredBy({ config, exclude_inbound_tags: excluded }: StoredCore, tags: readonly string[]): string[] {
  const inbounds: unknown = config['inbounds'];
  const own = new Set(Array.isArray(inbounds) ? inbounds.map((one: { tag?: unknown } | null) => one?.tag) : []);
  return tags.filter((tag) => {
    const parts = tag.split(FALLBACK);
    return parts.every((part) => own.has(part)) && !excluded.includes(parts[0] ?? '');
  });
}
