import { api, dataOf } from '../../api/client';
import type { components } from '../../api/gen/schema';
import { listUsers } from '../../api/list-users';
import { MAX_TARGETS } from './audit-objects';

export type AuditEntry = components['schemas']['AuditEntryView'];
export type AuditPage = components['schemas']['AuditListView'];

export interface AuditSearch {
  /** What is typed. */
  text: string;
  /** What that may mean among the objects of the lists. */
  targets: readonly string[];
  action: string | null;
  actor: string | null;
}

const PAGE_ROWS = 50;
const USERS = 5;

/** A page of the log of changes, newest first. There are too many users for a list: those whose name contains the text are asked for. */
export async function loadAudit(
  { text, targets, action, actor }: AuditSearch,
  before: number | null,
  signal: AbortSignal,
): Promise<AuditPage> {
  const load = (target?: string) => {
    const query = {
      limit: PAGE_ROWS,
      ...(target !== undefined && { target }),
      ...(action !== null && { action }),
      ...(actor !== null && { actor }),
      ...(before !== null && { before }),
    };
    return dataOf(api.GET('/api/audit', { params: { query }, signal }));
  };
  if (text === '') return load();
  const users = text.includes('/') ? [] : await userTargets(text, signal);
  const meant = [...new Set([...targets.slice(0, MAX_TARGETS - users.length), ...users])];
  return newest(await Promise.all(meant.map((target) => load(target))), PAGE_ROWS);
}

async function userTargets(text: string, signal: AbortSignal): Promise<string[]> {
  const { users } = await listUsers(['username'], { search: text, limit: USERS }, signal);
  return users.map(({ username }) => `user/${username}`);
}

/** The newest entries of several pages as one page. */
export function newest(pages: readonly AuditPage[], limit: number): AuditPage {
  const all = pages.flatMap(({ entries }) => entries).sort((one, other) => other.id - one.id);
  const entries = all.slice(0, limit);
  const hasMore = all.length > limit || pages.some(({ next }) => next !== null);
  return { entries, next: hasMore ? (entries.at(-1)?.id ?? null) : null };
}
