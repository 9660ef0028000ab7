type State = 'open' | 'ended';

let state: State = 'open';
const listeners = new Set<() => void>();

/** Whether the login of this browser was refused by an answer. Pages stay as they are, so that no draft is lost. */
export const sessionState = {
  get: (): State => state,
  set(next: State): void {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

const STORED = 'rampart.logged-in';

/** Whether somebody was logged in when this browser last had the dashboard open, and most likely still is. */
export const wasLoggedIn = (): boolean => localStorage.getItem(STORED) !== null;

/** Keeps in this browser whether somebody is logged in. */
export function rememberLogin(isLoggedIn: boolean): void {
  if (isLoggedIn) localStorage.setItem(STORED, 'true');
  else localStorage.removeItem(STORED);
}
