import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import type { Host } from '../../api/types';
import { Dialog } from '../../ui/dialog/dialog';
import { QueryView } from '../../ui/list/query-view';
import { HostForm } from './host-form';

// The form sends a host back as a whole, so it is read anew and exactly; rows of the list have stand-ins for what is strange.
const hostQuery = (id: number) =>
  queryOptions({
    queryKey: ['hosts', 'one', id],
    queryFn: ({ signal }) => dataOf(api.GET('/api/host/{host_id}', { params: { path: { host_id: id } }, signal })),
    gcTime: 0,
  });

/** The form that changes a host. */
export function EditHost({ host: { id, remark }, onClose }: { host: Host; onClose: () => void }) {
  const { t } = useTranslation();
  const stored = useQuery(hostQuery(id));
  if (stored.data) return <HostForm host={stored.data} onClose={onClose} />;
  return (
    <Dialog title={t('users.editTitle', { username: remark })} onClose={onClose} size="1080px">
      <QueryView query={stored}>{() => null}</QueryView>
    </Dialog>
  );
}
