import { queryOptions } from '@tanstack/react-query';
import { api, dataOf, versionedDataOf } from '../../api/client';
import type { Core } from '../../api/types';

/** A core with the version that it had when it was read. */
export const coreQuery = (id: number) =>
  queryOptions({
    queryKey: ['cores', 'one', id],
    queryFn: async ({ signal }) => {
      const answer = api.GET('/api/core/{core_id}', { params: { path: { core_id: id } }, signal });
      const { data, version } = await versionedDataOf(answer);
      return { core: data, version };
    },
    // Nothing but `refetch` reads it again: a reading of what others have saved would replace a draft.
    staleTime: 'static',
  });

/** What a save of this text would say and change; the same text is asked about once for a version of the core. */
export const checkQuery = (core: Core, name: string, config: string, privateNetworks: string[]) =>
  queryOptions({
    queryKey: ['core-check', core.id, core.version, name, config, privateNetworks],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/api/cores/check', {
          params: { query: { id: core.id } },
          body: {
            name,
            config,
            exclude_inbound_tags: core.exclude_inbound_tags,
            fallbacks_inbound_tags: core.fallbacks_inbound_tags,
            private_networks: privateNetworks,
          },
          signal,
        }),
      ),
    gcTime: 60_000,
    retry: false,
  });
