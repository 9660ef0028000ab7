import { parseUserSearch, type UserSearch } from '../user-search';

export interface SavedView {
  name: string;
  search: UserSearch;
}

const STORED = 'rampart.user-views';

/** The part of an address that a view keeps: filters and order, not the place in the list. */
export const viewOf = ({ at: _, create: __, template: ___, ...search }: UserSearch): UserSearch => search;

/** Reads the views of this browser; what is not valid in them is left out. */
export function readViews(text: string | null): SavedView[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return list.flatMap((one: unknown) => {
      const { name, search } = Object(one) as { name?: unknown; search?: unknown };
      return typeof name === 'string' && name !== '' ? [{ name, search: viewOf(parseUserSearch(Object(search))) }] : [];
    });
  } catch {
    return [];
  }
}

export const storedViews = (): SavedView[] => readViews(localStorage.getItem(STORED));
export const storeViews = (views: readonly SavedView[]): void => localStorage.setItem(STORED, JSON.stringify(views));

/** The views with one more; a view of the same name is replaced. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] => [
  ...views.filter(({ name }) => name !== view.name),
  view,
];

/** Views that everybody has, by the key of their name. */
export const COMMON_VIEWS = {
  ending: { status: 'active', sort: 'expire' },
  busiest: { sort: '-used_traffic' },
  newest: { sort: '-created_at' },
  stopped: { status: 'limited,expired', sort: '-online_at' },
} as const satisfies Record<string, UserSearch>;
