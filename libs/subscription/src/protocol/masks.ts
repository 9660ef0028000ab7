import { isFragment, type JsonObject } from '@rampart/core-config';

/** Whether the other end must take something off; pieces of TCP are put together by everybody. */
export function isMasked(finalmask: JsonObject): boolean {
  return Object.entries(finalmask).some(
    ([network, masks]) => network !== 'tcp' || !Array.isArray(masks) || !masks.every(isFragment),
  );
}
