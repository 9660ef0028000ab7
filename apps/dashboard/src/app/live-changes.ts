import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { type Change, ChangeStream } from '../api/change-stream';
import { liveState } from '../api/live-state';
import { sessionState } from '../api/session-state';
import { isHeard, isTouched } from '../api/touched-queries';

const FIRST_MS = 100;
const BETWEEN_MS = 1_000;
const POLL_MS = 10_000;

/** Keeps what is shown up to date: by the stream of changes, and while that is broken by asking again and again. */
export function LiveChanges(): null {
  const client = useQueryClient();
  const session = useSyncExternalStore(sessionState.subscribe, sessionState.get);
  const isLive = useSyncExternalStore(liveState.subscribe, liveState.get);
  useEffect(() => {
    if (session === 'ended') return;
    const reload = (is: (key: QueryKey) => boolean, cancelRefetch = true) =>
      void client.invalidateQueries(
        { predicate: ({ queryKey }) => is(queryKey), refetchType: document.hidden ? 'none' : 'active' },
        { cancelRefetch },
      );
    const waiting = new Waiting((changes) => reload((key) => changes.some((change) => isTouched(key, change))));
    const stream = new ChangeStream({
      onChange: (change) => waiting.add(change),
      // What is being loaded already is not out of date.
      onMissed: () => reload(isHeard, false),
      onLive: liveState.set,
    });
    let stop = new AbortController();
    const run = () => {
      stop.abort();
      stop = new AbortController();
      // A hidden page hears nothing, and goes on where it was when it is shown again.
      if (!document.hidden) void stream.run(stop.signal);
    };
    run();
    document.addEventListener('visibilitychange', run);
    return () => {
      document.removeEventListener('visibilitychange', run);
      stop.abort();
      waiting.clear();
      stream.close();
    };
  }, [client, session]);
  useEffect(() => {
    if (isLive || session === 'ended') return;
    const poll = () => {
      if (!document.hidden) void client.invalidateQueries({ predicate: ({ queryKey }) => isHeard(queryKey) });
    };
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, [client, session, isLive]);
  return null;
}

/** Changes that came together, so that a thousand of them load a list once. */
class Waiting {
  private changes: Change[] = [];
  private timer?: ReturnType<typeof setTimeout>;
  private lastAt = 0;

  constructor(private readonly apply: (changes: readonly Change[]) => void) {}

  add(change: Change): void {
    this.changes.push(change);
    if (this.changes.length > 1) return;
    this.timer = setTimeout(() => this.flush(), Math.max(FIRST_MS, this.lastAt + BETWEEN_MS - Date.now()));
  }

  clear(): void {
    clearTimeout(this.timer);
    this.changes = [];
  }

  private flush(): void {
    this.lastAt = Date.now();
    this.apply(this.changes.splice(0));
  }
}
