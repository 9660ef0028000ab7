let isLive = true;
const listeners = new Set<() => void>();

/** Whether changes are heard as they happen; while they are not, the page asks for them again and again. */
export const liveState = {
  get: (): boolean => isLive,
  set(next: boolean): void {
    if (next === isLive) return;
    isLive = next;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
