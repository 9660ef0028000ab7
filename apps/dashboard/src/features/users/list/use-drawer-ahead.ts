import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { idle } from '../../../ui/later';

/** Loads the page of a user once the rows are here, because most of those who look at them open one. */
export function useDrawerAhead(isHere: boolean): void {
  const router = useRouter();
  useEffect(() => {
    const load = () => router.loadRouteChunk(router.routesByPath['/users/$username']);
    // What fails here is tried again, and told, when a user is opened.
    if (isHere)
      idle()
        .then(load)
        .catch(() => undefined);
  }, [isHere, router]);
}
