import { readFileSync } from 'node:fs';

/** The text of a file of /proc or /sys; nothing where it is missing or not for us. */
export type ReadKernelFile = (path: string) => string | undefined;

/** These files are made by the kernel when they are read: there is no disk to wait for. */
export const readKernelFile: ReadKernelFile = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** `key value` lines, as in memory.stat and cpu.stat. */
export function parseKeyedNumber(text: string | undefined, key: string): number | undefined {
  return parseWholeNumber(new RegExp(`^${key} +(\\d+)$`, 'm').exec(text ?? '')?.[1]);
}

/** A file of one number; `max`, `-1` and everything else that limits nothing is undefined. */
export function parseWholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+\s*$/.test(text) ? Number(text) : undefined;
}
