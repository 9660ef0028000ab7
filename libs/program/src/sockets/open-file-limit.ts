import { readFileSync } from 'node:fs';

/** For the files of the program itself: its state, its logs, its database or engine. */
const RESERVED = 256;

/** How many files this process may have open, sockets among them; Infinity where nothing limits them. */
export function openFileLimit(): number {
  const soft = ofProc() ?? ofReport();
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

function ofProc(): string | undefined {
  try {
    return /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Where there is no /proc; it takes some tenths of a second. */
function ofReport(): string | undefined {
  const report: unknown = process.report.getReport();
  const soft: unknown = Object(Object(Object(report).userLimits).open_files).soft;
  return soft === undefined ? undefined : String(soft);
}

/**
 * How many sockets a program may have open, so that it can still open files of its own.
 *
 * @param wanted as many as its setting says.
 * @param setting that setting, for the note.
 * @param limit of open files.
 * @returns the number, and for the log why it is less than wanted.
 */
export function socketLimit(
  wanted: number,
  setting: string,
  limit = openFileLimit(),
): { readonly sockets: number; readonly note?: string } {
  const possible = Math.max(limit - RESERVED, Math.floor(limit / 2));
  if (wanted <= possible) return { sockets: wanted };
  const note =
    `At most ${possible} sockets are open at a time, not ${wanted} (${setting}): this process may open ${limit} files. ` +
    'Raise that limit, as with LimitNOFILE of systemd, or lower the setting.';
  return { sockets: possible, note };
}
