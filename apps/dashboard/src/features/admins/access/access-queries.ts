import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client';

const MAX_SHOWN = 100;

/** The newest logins of an admin in browsers. */
export const sessionsQuery = (admin: string) =>
  queryOptions({
    queryKey: ['sessions', admin],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/sessions', { params: { query: { admin, limit: MAX_SHOWN } }, signal })),
  });

/** The newest API tokens of an admin. */
export const tokensQuery = (admin: string) =>
  queryOptions({
    queryKey: ['tokens', admin],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/tokens', { params: { query: { admin, limit: MAX_SHOWN } }, signal })),
  });
