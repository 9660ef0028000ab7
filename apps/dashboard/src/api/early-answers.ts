import { OWN_HEADER } from './own-header';

/** So long an answer may wait for the program of the page: later it may be old. */
const KEPT_MS = 10_000;

const answers = new Map<string, Promise<Response>>();

/** The same for every order of the parameters, and for every way to write a character. */
function keyOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

/** Sends a GET request whose answer the first equal request of the page takes, so that both wait for it at the same time. */
export function askEarly(path: string, query: Readonly<Record<string, unknown>> = {}): void {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  const answer = fetch(url, { headers: OWN_HEADER, credentials: 'same-origin' });
  // What fails is told where the answer is taken.
  answer.catch(() => undefined);
  const key = keyOf(url.href);
  answers.set(key, answer);
  setTimeout(() => answers.delete(key), KEPT_MS);
}

/** The answer to a request that was sent early; undefined where none was, or where it was taken before. */
export function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  if (method !== 'GET') return undefined;
  const key = keyOf(url);
  const answer = answers.get(key);
  answers.delete(key);
  return answer;
}
