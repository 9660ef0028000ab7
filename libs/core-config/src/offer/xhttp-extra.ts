import type { JsonCursor, JsonObject } from '../read/json-cursor.js';

/** Settings of xhttp on which both ends must agree, or that an operator gives to the clients; the rest is the server's. */
const SHARED = [
  'xPaddingBytes',
  'xPaddingObfsMode',
  'xPaddingKey',
  'xPaddingHeader',
  'xPaddingPlacement',
  'xPaddingMethod',
  'uplinkHTTPMethod',
  'sessionPlacement',
  'sessionKey',
  'sessionIDPlacement',
  'sessionIDKey',
  'sessionIDTable',
  'sessionIDLength',
  'seqPlacement',
  'seqKey',
  'uplinkDataPlacement',
  'uplinkDataKey',
  'uplinkChunkSize',
  'noGRPCHeader',
  'scMaxEachPostBytes',
  'scMinPostsIntervalMs',
  'xmux',
];

/** The shared settings from `extra` where there is one, else from beside it: the engine never mixes the two. */
export function readXhttpExtra(settings: JsonCursor): JsonObject {
  const source = settings.get('extra').exists ? settings.get('extra') : settings;
  return Object.fromEntries(Object.entries(source.object()).filter(([key]) => SHARED.includes(key)));
}

/** Whether an `xmux` limits both requests and connections, with which the engine refuses the whole configuration. */
export function limitsTwice(xmux: unknown): boolean {
  const { maxConcurrency, maxConnections } = Object(xmux);
  return isLimit(maxConcurrency) && isLimit(maxConnections);
}

/** `0`, `"0"` and `"0-0"` are none. */
const isLimit = (value: unknown): boolean => value !== undefined && value !== null && !/^0+(-0+)?$/.test(String(value));
