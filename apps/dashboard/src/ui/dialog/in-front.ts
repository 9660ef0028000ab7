import { useEffect, useState, useSyncExternalStore } from 'react';

let newest = 0;
const shown = new Set<number>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function announce(): void {
  for (const listener of listeners) listener();
}

/** Whether the dialog of this component is the one that was opened last of those that are open. */
export function useIsInFront(): boolean {
  // A number is taken while rendering, because effects run for the inner dialog first where two appear at once.
  const [order] = useState(() => {
    newest += 1;
    return newest;
  });
  useEffect(() => {
    shown.add(order);
    announce();
    return () => {
      shown.delete(order);
      announce();
    };
  }, [order]);
  return useSyncExternalStore(subscribe, () => order === Math.max(...shown));
}
