import { readFileSync } from 'node:fs';

/** Reads a file of /proc or /sys; undefined where it is missing or not readable. */
export type ReadKernelFile = (path: string) => string | undefined;

/** The kernel creates these files in memory, so reading them synchronously does not block. */
export const readKernelFile: ReadKernelFile = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Finds the number of a key in lines of `key value`, as in memory.stat and cpu.stat. */
export function parseKeyedNumber(text: string | undefined, key: string): number | undefined {
  return parseWholeNumber(new RegExp(`^${key} +(\\d+)$`, 'm').exec(text ?? '')?.[1]);
}

/** Parses a file of one number; `max`, `-1` and anything else is undefined. */
export function parseWholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+\s*$/.test(text) ? Number(text) : undefined;
}
