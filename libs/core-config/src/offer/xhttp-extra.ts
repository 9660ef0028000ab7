import type { JsonCursor, JsonObject } from '../read/json-cursor.js';
import { SHARED_XHTTP_KEYS } from '../read/known-keys.js';

/** Reads what clients share with the server: from `extra` if given, else from the settings, as the engine does. */
export function readXhttpExtra(settings: JsonCursor): JsonObject {
  const source = settings.get('extra').exists ? settings.get('extra') : settings;
  return Object.fromEntries(Object.entries(source.object()).filter(([key]) => SHARED_XHTTP_KEYS.includes(key)));
}

/** Whether an `xmux` limits both concurrency and connections: the engine refuses a configuration that does. */
export function limitsTwice(xmux: unknown): boolean {
  const { maxConcurrency, maxConnections } = Object(xmux);
  return isLimit(maxConcurrency) && isLimit(maxConnections);
}

/** Whether a value sets a limit: `0`, `"0"` and `"0-0"` do not. */
const isLimit = (value: unknown): boolean => value !== undefined && value !== null && !/^0+(-0+)?$/.test(String(value));
