import { PAGE_ROWS, pageOf } from '../../../ui/list/row-pages';
import { parseUserSearch, userQueryOf } from '../user-search';
import { ROW_FIELDS } from './user-row';

/** The query of the API for what the list of users shows first, by the search of its address. */
export function firstUsersRequest(search: string) {
  const found = parseUserSearch(
    Object.fromEntries([...new URLSearchParams(search)].map(([name, text]) => [name, textOrValue(text)])),
  );
  return { ...userQueryOf(found), offset: pageOf(found.at ?? 0) * PAGE_ROWS, limit: PAGE_ROWS, fields: ROW_FIELDS };
}

/** The router writes texts that look like another value in quotes. */
function textOrValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
