import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from './client';

const MINUTE_MS = 60_000;

/** A list that changes seldom; changes made here invalidate it by its name. */
const listQuery = <T>(name: string, load: (options: { signal: AbortSignal }) => Parameters<typeof dataOf<T>>[0]) =>
  queryOptions({ queryKey: [name], queryFn: ({ signal }) => dataOf(load({ signal })), staleTime: MINUTE_MS });

/** Queries that several features share. Their keys begin with the name of what they show, by which changes invalidate them. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/admin', { signal })),
  retry: false,
  staleTime: 5 * MINUTE_MS,
});

export const totpQuery = queryOptions({
  queryKey: ['totp'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/admin/totp', { signal })),
});

export const systemQuery = queryOptions({
  queryKey: ['system'],
  // Traffic and users online are figures that no event tells.
  queryFn: ({ signal }) => dataOf(api.GET('/api/system', { signal })),
  refetchInterval: 10_000,
});

export const groupsQuery = listQuery('groups', (options) => api.GET('/api/groups', options));
export const adminsQuery = listQuery('admins', (options) => api.GET('/api/admins', options));
export const templatesQuery = listQuery('templates', (options) => api.GET('/api/user_templates', options));
export const hostsQuery = listQuery('hosts', (options) => api.GET('/api/hosts', options));
export const inboundsQuery = listQuery('inbounds', (options) => api.GET('/api/inbounds', options));
export const coresQuery = listQuery('cores', (options) => api.GET('/api/cores', options));

/** Whether hosts that name statuses are only for users in one of them; false: the settings switch that off. Sudo admins read it. */
export const statusFilterQuery = queryOptions({
  queryKey: ['settings', 'status-filter'],
  queryFn: async ({ signal }) => {
    const { subscription } = await dataOf(api.GET('/api/settings', { signal }));
    return subscription.host_status_filter ?? true;
  },
  staleTime: MINUTE_MS,
});

export const nodesQuery = queryOptions({
  queryKey: ['nodes'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/nodes', { signal })),
  staleTime: MINUTE_MS,
});

export const userQuery = (username: string) =>
  queryOptions({
    queryKey: ['users', 'one', username],
    queryFn: ({ signal }) => dataOf(api.GET('/api/user/{username}', { params: { path: { username } }, signal })),
  });

/** What every connected node measures at this moment, by its id. */
export const liveQuery = queryOptions({
  queryKey: ['nodes', 'live'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/nodes/realtime_stats', { signal })),
  refetchInterval: 5_000,
});

/** What the last probes have found about each host, without earlier rounds. No event tells of them. */
export const healthQuery = queryOptions({
  queryKey: ['host-health'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/hosts/health', { params: { query: { history: 0 } }, signal })),
  refetchInterval: MINUTE_MS,
});
