import { createHash } from 'node:crypto';
import type { BackendConfig } from '../backend/backend.js';

/**
 * Equal for equivalent configurations: white space, the order of keys and the order of excluded tags and of allowed networks do
 * not matter.
 */
export function configDigest({ text, excludedInbounds, allowedNetworks }: BackendConfig): string {
  const hash = createHash('sha256').update(canonical(text)).update('\0').update(sortedText(excludedInbounds));
  if (allowedNetworks) hash.update('\0').update(sortedText(allowedNetworks));
  return hash.digest('hex');
}

const sortedText = (texts: readonly string[]): string => JSON.stringify([...new Set(texts)].sort());

/** Text that is not plain JSON is used unchanged; the backend decides whether it is valid. */
function canonical(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), sortKeys);
  } catch {
    return text;
  }
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
