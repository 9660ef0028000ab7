import type { JsonCursor } from './json-cursor.js';

/** A range of ports, including both ends. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/** The ports of an inbound, as the configuration spells them and as ranges. */
export interface Ports {
  readonly original: number | string;
  readonly ranges: readonly PortRange[];
}

/**
 * Reads `443`, `"443"`, `"80,443"`, `"1000-1010"` or `"80, 1000-1010"`; undefined where no port is given.
 *
 * @param emptyParts whether an empty part, as in `"80,"`, is refused, or skipped as the engine does
 * @throws CoreConfigError for anything else
 */
export function readPorts(cursor: JsonCursor, emptyParts: 'refuse' | 'skip' = 'refuse'): Ports | undefined {
  const original = cursor.value;
  if (original === undefined || original === null || original === '') return undefined;
  if (typeof original !== 'number' && typeof original !== 'string') return failPorts(cursor);
  const ranges = String(original)
    .split(',')
    .filter((part) => emptyParts === 'refuse' || part.trim() !== '')
    .map((part) => readRange(part.trim()) ?? failPorts(cursor));
  return { original, ranges };
}

function readRange(text: string): PortRange | undefined {
  const [, first, last] = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(text) ?? [];
  const from = Number(first);
  const to = Number(last ?? first);
  return from >= 1 && to <= 65535 && from <= to ? { from, to } : undefined;
}

function failPorts(cursor: JsonCursor): never {
  return cursor.fail(`${cursor.path} must be a port (1-65535), a list "80,443" or a range "1000-1010"`);
}

/** Returns the number of ports. */
export function portCount(ports: Ports): number {
  return ports.ranges.reduce((count, { from, to }) => count + to - from + 1, 0);
}

/** Returns the port at an index from 0 to `portCount` - 1, in the order of the configuration. @throws RangeError beyond */
export function portAt(ports: Ports, index: number): number {
  let rest = index;
  for (const { from, to } of ports.ranges) {
    if (rest <= to - from) return from + rest;
    rest -= to - from + 1;
  }
  throw new RangeError(`port index ${index} of ${portCount(ports)}`);
}
