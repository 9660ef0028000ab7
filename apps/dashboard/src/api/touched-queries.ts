import type { QueryKey } from '@tanstack/react-query';
import type { Change } from './change-stream';

/** By the kind of what has changed: the first parts of the keys of queries that show it. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  user: ['users', 'groups'],
  node: ['nodes', 'attention'],
  core: ['cores', 'inbounds', 'core-check', 'attention'],
  group: ['groups'],
  host: ['hosts', 'host-health', 'attention'],
  admin: ['admins', 'self', 'totp'],
  user_template: ['templates'],
  settings: ['settings'],
  session: ['sessions'],
  api_token: ['tokens'],
};
/** Every change is in the log of changes. */
const LOG = 'audit';

/** Everything that shows what is heard. */
const ALL: ReadonlySet<unknown> = new Set([LOG, ...Object.values(SHOWN_BY).flat()]);

/** Whether what a query has answered may be out of date after a change. */
export function isTouched([root, , key]: QueryKey, { type, key: changed }: Change): boolean {
  if (root === LOG) return true;
  if (!(SHOWN_BY[type] ?? [`${type}s`]).includes(String(root))) return false;
  // Queries about one user have its name as the third part of their key.
  const isAboutOne = root === 'users' && typeof key === 'string';
  return !isAboutOne || changed === null || key === changed;
}

/** Whether a query shows something whose changes are heard. */
export const isHeard = ([root]: QueryKey): boolean => ALL.has(root);
