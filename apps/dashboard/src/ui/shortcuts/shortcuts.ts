import { useEffect, useRef, useSyncExternalStore } from 'react';

export interface Shortcut {
  /** One key, or two keys after each other, such as `g u`; `mod+k` is with Ctrl or ⌘. */
  keys: string;
  label: string;
  run: () => void;
}

const SEQUENCE_MS = 1000;
const TYPING = 'input, textarea, select, [contenteditable=true], [role=textbox]';

let registered: readonly (readonly Shortcut[])[] = [];
let all: readonly Shortcut[] = [];
let before: { key: string; at: number } | undefined;
const listeners = new Set<() => void>();

function register(next: readonly (readonly Shortcut[])[]): void {
  registered = next;
  all = registered.flat();
  for (const listener of listeners) listener();
}

/** The key of an event by its place on the keyboard, so that letters work in every layout. */
function keyOf(event: KeyboardEvent): string {
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  if (event.key === '?') return '?';
  if (event.code === 'Slash') return event.shiftKey ? '?' : '/';
  const key = letter ?? event.key.toLowerCase();
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key;
}

function onKeyDown(event: KeyboardEvent): void {
  const key = keyOf(event);
  const isPlain = !key.startsWith('mod+');
  const target = event.target instanceof Element ? event.target : undefined;
  if (event.altKey || (isPlain && (target?.closest(TYPING) || document.querySelector('[role=dialog]')))) return;
  const isSequence = before !== undefined && event.timeStamp - before.at < SEQUENCE_MS;
  const found =
    (isSequence && all.find(({ keys }) => keys === `${before?.key} ${key}`)) || all.find(({ keys }) => keys === key);
  before = { key, at: event.timeStamp };
  if (!found) return;
  event.preventDefault();
  before = undefined;
  found.run();
}

/** Listens to the keys of the page as long as a component is shown. */
export function useShortcutListener(): void {
  useEffect(() => {
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Adds shortcuts as long as a component is shown. Their actions may change with every render. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const shape = shortcuts.map(({ keys, label }) => `${keys}\n${label}`).join('\n\n');
  useEffect(() => {
    const own = latest.current.map(({ keys, label }, at) => ({ keys, label, run: () => latest.current[at]?.run() }));
    register([...registered, own]);
    return () => register(registered.filter((one) => one !== own));
  }, [shape]);
}

/** All shortcuts of what is shown now. */
export const useAllShortcuts = (): readonly Shortcut[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => all,
  );
