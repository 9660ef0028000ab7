export const STATUSES = ['active', 'on_hold', 'limited', 'expired', 'disabled'] as const;
export type Status = (typeof STATUSES)[number];
export const SORTS = ['username', 'used_traffic', 'expire', 'created_at', 'online_at'] as const;
export type SortField = (typeof SORTS)[number];

/** What the address of the page says about the list. Lists are joined with commas. */
export interface UserSearch {
  q?: string;
  status?: string;
  group?: string;
  admin?: string;
  sort?: string;
  /** The row at the top of the list. */
  at?: number;
  /** Whether the form for a new user is open. */
  create?: boolean;
  /** The id of the template that the form for a new user begins with. */
  template?: number;
}

const isStatus = (text: string): text is Status => STATUSES.some((one) => one === text);
const listOf = (text: string | undefined): string[] => (text ? text.split(',').filter(Boolean) : []);

/** Reads the address; what is not valid in it is left out. */
export function parseUserSearch(search: Record<string, unknown>): UserSearch {
  const text = (name: string) => (search[name] === undefined || search[name] === '' ? undefined : String(search[name]));
  const sort = text('sort');
  const at = Number(search['at']);
  const found = {
    q: text('q'),
    status: listOf(text('status')).filter(isStatus).join(',') || undefined,
    group:
      listOf(text('group'))
        .filter((id) => /^\d{1,9}$/.test(id))
        .join(',') || undefined,
    admin: text('admin'),
    sort: sort && SORTS.some((field) => field === sort.replace(/^-/, '')) ? sort : undefined,
    at: Number.isInteger(at) && at > 0 ? at : undefined,
    create: search['create'] === true || undefined,
    template: typeof search['template'] === 'number' ? search['template'] : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** The query of the API for what the address says. */
export function userQueryOf({ q, status, group, admin, sort }: UserSearch) {
  const [statuses, groups, admins] = [listOf(status).filter(isStatus), listOf(group).map(Number), listOf(admin)];
  return {
    ...(q !== undefined && { search: q }),
    ...(statuses.length > 0 && { status: statuses }),
    ...(groups.length > 0 && { group: groups }),
    ...(admins.length > 0 && { admin: admins }),
    ...(sort !== undefined && { sort }),
  };
}

/** The next order when the header of a column is clicked: descending first for amounts and moments, then the other way, then none. */
export function nextSort(field: SortField, sort: string | undefined): string | undefined {
  const first = field === 'username' ? field : `-${field}`;
  const second = field === 'username' ? `-${field}` : field;
  if (sort === first) return second;
  return sort === second ? undefined : first;
}
