import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';

/** The last fetches of a user's subscription. */
export const fetchesQuery = (username: string) =>
  queryOptions({
    queryKey: ['users', 'fetches', username],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/user/{username}/sub_update', { params: { path: { username }, query: { limit: 10 } }, signal }),
      ),
  });

/** The traffic of a user since a moment, by node, and by hour or by day. */
export const usageQuery = (username: string, period: 'hour' | 'day', start: string) =>
  queryOptions({
    queryKey: ['users', 'usage', username, period, start],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/user/{username}/usage', {
          params: { path: { username }, query: { period, start, group_by_node: true } },
          signal,
        }),
      ),
  });

/** What a client of a user gets; `client` is a name that the API knows, or a User-Agent. */
export const previewQuery = (username: string, client: string) =>
  queryOptions({
    queryKey: ['users', 'preview', username, client],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/user/{username}/preview', { params: { path: { username }, query: { client } }, signal })),
  });

/** The last changes of a user. */
export const userAuditQuery = (username: string) =>
  queryOptions({
    queryKey: ['audit', 'user', username],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/audit', { params: { query: { target: `user/${username}`, limit: 30 } }, signal })),
  });
