import type { JsonCursor, JsonObject } from '../read/json-cursor.js';
import { SHARED_XHTTP_KEYS } from '../read/known-keys.js';

/** The shared settings from `extra` where there is one, else from beside it: the engine never mixes the two. */
export function readXhttpExtra(settings: JsonCursor): JsonObject {
  const source = settings.get('extra').exists ? settings.get('extra') : settings;
  return Object.fromEntries(Object.entries(source.object()).filter(([key]) => SHARED_XHTTP_KEYS.includes(key)));
}

/** Whether an `xmux` limits both requests and connections, with which the engine refuses the whole configuration. */
export function limitsTwice(xmux: unknown): boolean {
  const { maxConcurrency, maxConnections } = Object(xmux);
  return isLimit(maxConcurrency) && isLimit(maxConnections);
}

/** `0`, `"0"` and `"0-0"` are none. */
const isLimit = (value: unknown): boolean => value !== undefined && value !== null && !/^0+(-0+)?$/.test(String(value));
