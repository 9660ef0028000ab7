import { type JsonObject, refuse } from '../json-tree.js';
import type { Exits } from '../node-config.js';

/** Throws CONFIG_REFUSED for a tag that two elements of a list have. */
export function checkTags(path: string, tagged: readonly (JsonObject | { readonly tag: string })[]): void {
  const seen = new Map<unknown, number>();
  for (const [index, { tag }] of tagged.entries()) {
    const first = seen.get(tag);
    if (typeof tag !== 'string' || tag === '') continue;
    if (first !== undefined) refuse(`${path}[${first}] and ${path}[${index}] have the same tag "${tag}"`);
    seen.set(tag, index);
  }
}

/** Throws CONFIG_REFUSED for an outbound that metrics or a reverse proxy with the same tag would replace at the start. */
export function checkReplaced({ outbounds, extra, metrics }: Exits): void {
  const replaced = [...extra, ...metrics].find((tag) => outbounds.includes(tag));
  if (replaced !== undefined)
    refuse(`the outbound "${replaced}" would be replaced: metrics or a reverse proxy has its tag`);
}
