import { MutationCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { notifyError } from './notify';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The place that makes the change shows every error itself. */
      isShown?: boolean;
      /** It shows errors of fields, and no others. */
      showsFields?: boolean;
      /** It shows that somebody else has changed the object meanwhile. */
      showsConflict?: boolean;
    };
  }
}

const MAX_ATTEMPTS = 3;

/** Whether another attempt may succeed: the network failed, or the service was busy. */
const isTransient = (error: Error): boolean => {
  const { status, code } = ApiError.from(error);
  return code === 'OFFLINE' || status >= 502;
};

/** The one funnel of failed changes: forms show errors of their fields themselves, everything else is a notification. */
export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, { meta }) => {
      const { fields, current } = ApiError.from(error);
      const isShown =
        meta?.isShown ||
        (meta?.showsFields && Object.keys(fields).length > 0) ||
        (meta?.showsConflict && current !== undefined);
      if (!isShown) notifyError(error);
    },
  }),
  defaultOptions: {
    queries: {
      retry: (count, error) => count < MAX_ATTEMPTS - 1 && isTransient(error),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
  },
});
