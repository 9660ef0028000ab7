import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { hostsQuery } from '../../api/queries';
import type { Host } from '../../api/types';
import { notifyUndo } from '../../ui/feedback/notify';
import { changedOrder, moved } from './host-order';

const MUTATION = ['host-order'];
/** Hides the offer to undo the last move: after another one it would undo both. */
let hideUndo: () => void = () => undefined;

const idsOf = (list: readonly Host[]) => list.map(({ id }) => id);

/** Moves a host in a list, with a way back once the server has stored it. */
export function useHostOrder(): (list: Host[], from: number, to: number) => void {
  const { t } = useTranslation();
  const client = useQueryClient();
  const order = useMutation({
    mutationKey: MUTATION,
    // One after the other, and the list shows what was asked for last until all are done.
    scope: { id: 'host-order' },
    // Only the ids are sent: what other admins have changed in the hosts meanwhile stays.
    mutationFn: ({ ids }: { ids: number[]; before?: number[] }) =>
      dataOf(api.PATCH('/api/hosts/order', { body: { ids } })),
    onMutate: () => hideUndo(),
    onError: () => client.invalidateQueries({ queryKey: hostsQuery.queryKey }),
    onSuccess: (list, { before }) => {
      if (client.isMutating({ mutationKey: MUTATION }) > 1) return;
      client.setQueryData(hostsQuery.queryKey, list);
      if (before) hideUndo = notifyUndo(t('hosts.moved'), () => undo(before));
    },
  });
  const undo = (before: number[]) => {
    // The server refuses an order that names a host which was deleted meanwhile.
    const present = new Set(idsOf(client.getQueryData(hostsQuery.queryKey) ?? []));
    order.mutate({ ids: before.filter((id) => present.has(id)) });
  };
  return (list, from, to) => {
    const after = moved(list, from, to);
    if (changedOrder(list, after).length === 0) return;
    // The list shows the new order at once.
    client.setQueryData(hostsQuery.queryKey, after);
    order.mutate({ ids: idsOf(after), before: idsOf(list) });
  };
}
