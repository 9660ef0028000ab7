import type { Random } from '../model/selected-proxy.js';

/** The items in a random order; each order is equally likely. */
export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const result = [...items];
  for (let count = result.length; count > 1; count--) {
    // The first `count` items are still to be selected from; a selected item moves to the end.
    result.push(...result.splice(random(count), 1));
  }
  return result;
}
