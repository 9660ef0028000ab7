import { isFragment, type JsonObject } from '@rampart/core-config';

/**
 * Whether both ends must know the masks of a connection. Fragmented TCP is reassembled by every receiver, so it does not
 * count.
 */
export function isMasked(finalmask: JsonObject): boolean {
  return Object.entries(finalmask).some(
    ([network, masks]) => network !== 'tcp' || !Array.isArray(masks) || !masks.every(isFragment),
  );
}
