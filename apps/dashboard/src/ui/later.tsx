import { type ComponentType, lazy, type ReactNode, Suspense, useDeferredValue } from 'react';

const LATEST_MS = 1_000;

/** Waits until the page has nothing more urgent to do, a second at most. Safari cannot tell. */
export const idle = () =>
  new Promise<void>((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: LATEST_MS });
    else setTimeout(resolve, LATEST_MS / 10);
  });

/** A part of a page that is loaded after what is looked at first. */
export const lazyWhenIdle = <Props,>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    await idle();
    return { default: await load() };
  });

/** Draws its children after the first picture of the page, in which `fallback` keeps their place, and once they are loaded. */
export function Later({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  const isLater = useDeferredValue(true, false);
  return <Suspense fallback={fallback}>{isLater ? children : fallback}</Suspense>;
}
