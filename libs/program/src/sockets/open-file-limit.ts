import { readFileSync } from 'node:fs';

/** Open files that are kept free for the program itself: its state, its logs, its database or engine. */
const RESERVED_FILES = 256;

/** Maximum number of open files of this process, sockets included; Infinity = no limit. */
export function openFileLimit(): number {
  const soft = limitFromProc() ?? limitFromReport();
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

function limitFromProc(): string | undefined {
  try {
    return /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Asks Node.js for the limit, on systems without /proc. It takes some tenths of a second. */
function limitFromReport(): string | undefined {
  const report: unknown = process.report.getReport();
  const soft: unknown = Object(Object(Object(report).userLimits).open_files).soft;
  return soft === undefined ? undefined : String(soft);
}

/**
 * The number of sockets that a program can have open and still open files of its own.
 *
 * @param wanted the number in the setting.
 * @param setting the environment variable, for the note.
 * @param limit the maximum number of open files.
 * @returns the number, and a note for the log when it is smaller than wanted.
 */
export function socketLimit(
  wanted: number,
  setting: string,
  limit = openFileLimit(),
): { readonly sockets: number; readonly note?: string } {
  const possible = Math.max(limit - RESERVED_FILES, Math.floor(limit / 2));
  if (wanted <= possible) return { sockets: wanted };
  const note =
    `At most ${possible} sockets are open at a time, not ${wanted} (${setting}): this process may open ${limit} files. ` +
    'Raise that limit, as with LimitNOFILE of systemd, or lower the setting.';
  return { sockets: possible, note };
}
