import { STATUSES, type UserSearch } from '../user-search';

interface Names {
  groups: readonly { id: number; name: string }[];
}

/** The text of the search field for what the address says, such as `is:active group:vip ali`. */
export function filterText({ q, status, group, admin }: UserSearch, { groups }: Names): string {
  const named = (id: string) => groups.find((one) => `${one.id}` === id)?.name ?? id;
  return [
    ...(status ? [`is:${status}`] : []),
    ...(group ? [`group:${group.split(',').map(named).join(',')}`] : []),
    ...(admin ? [`admin:${admin}`] : []),
    ...(q ? [q] : []),
  ].join(' ');
}

/** Reads that text: `is:`, `group:` and `admin:` filter, everything else is searched for in names and notes. */
export function parseFilterText(text: string, { groups }: Names): Pick<UserSearch, 'q' | 'status' | 'group' | 'admin'> {
  const found: { status: string[]; group: string[]; admin: string[]; words: string[] } = {
    status: [],
    group: [],
    admin: [],
    words: [],
  };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, kind, values = ''] = /^(is|group|admin):(.+)$/.exec(word) ?? [];
    const list = values.split(',').filter(Boolean);
    const ids = list.flatMap((name) => groups.find((one) => one.name === name || `${one.id}` === name)?.id ?? []);
    if (kind === 'is' && list.every((one) => STATUSES.some((status) => status === one))) found.status.push(...list);
    else if (kind === 'group' && ids.length === list.length) found.group.push(...ids.map(String));
    else if (kind === 'admin') found.admin.push(...list);
    else found.words.push(word);
  }
  const joined = (list: string[]) => list.join(',') || undefined;
  return {
    status: joined(found.status),
    group: joined(found.group),
    admin: joined(found.admin),
    q: found.words.join(' ') || undefined,
  };
}

/** Words that would go on from the last word of the text. */
export function suggestions(text: string, names: Names & { admins: readonly string[] }): string[] {
  const start = text.slice(0, text.length - (/\S*$/.exec(text)?.[0].length ?? 0));
  const last = text.slice(start.length);
  const words = [
    ...STATUSES.map((status) => `is:${status}`),
    ...names.groups.map(({ name }) => `group:${name}`),
    ...names.admins.map((name) => `admin:${name}`),
  ];
  return words.filter((word) => last !== '' && word !== last && word.startsWith(last)).map((word) => start + word);
}
