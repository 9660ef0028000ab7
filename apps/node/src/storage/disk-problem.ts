const ADVICE = new Map([
  ['ENOSPC', 'the disk is full: free some space'],
  ['EDQUOT', 'the disk quota is used up: free some space'],
  ['EFBIG', 'a file may not grow that far here: raise the limit of file sizes'],
  ['EROFS', 'the file system is read-only: mount it for writing'],
  ['EIO', 'the disk does not work: see the system log'],
  ['EACCES', 'the node may not write there: give it the directory'],
  ['EPERM', 'the node may not write there: give it the directory'],
]);

/** Describes to operators why a file could not be written. */
export function describeDiskProblem(what: string, error: unknown, retryMs?: number): string {
  const code = errorCodeOf(error);
  const advice = ADVICE.get(code);
  const cause = advice === undefined ? messageOf(error) : `${code}, ${advice}`;
  const retry = retryMs === undefined ? '' : ` and tries again every ${retryMs / 1000} s`;
  return `${what} is not on disk: ${cause}. The node continues in memory${retry}`;
}

/** The system's code of an error, such as ENOENT; empty when it has none. */
export function errorCodeOf(error: unknown): string {
  return hasKey(error, 'code') ? String(error.code) : '';
}

function messageOf(error: unknown): string {
  return hasKey(error, 'message') ? String(error.message) : String(error);
}

/** Checks members instead of the class: in some runtimes errors of Node.js belong to another realm. */
function hasKey<Key extends string>(error: unknown, key: Key): error is Record<Key, unknown> {
  return typeof error === 'object' && error !== null && key in error;
}
