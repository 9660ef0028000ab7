import { createHash } from 'node:crypto';
import type { BackendConfig } from '../backend/backend.js';

/** Equal for configurations that mean the same: neither white space, nor the order of keys or excluded tags counts. */
export function configDigest({ text, excludedInbounds }: BackendConfig): string {
  return createHash('sha256')
    .update(canonical(text))
    .update('\0')
    .update(JSON.stringify([...new Set(excludedInbounds)].sort()))
    .digest('hex');
}

/** Text that is not plain JSON stands for itself; whether it is a configuration at all the backend knows. */
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
