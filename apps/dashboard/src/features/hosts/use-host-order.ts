import { type MutationFilters, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { hostsQuery } from '../../api/queries';
import type { Host } from '../../api/types';
import { notifyUndo } from '../../ui/feedback/notify';
import { arranged, moved } from './host-order';

interface Order {
  ids: number[];
  /** The order from before a move, to which there is a way back. */
  before?: number[];
}

const MUTATION = ['host-order'];
const WAITING: MutationFilters = { mutationKey: MUTATION, status: 'pending' };
/** Hides the offer to undo the last move: after another one it would undo both. */
let hideUndo: () => void = () => undefined;

const idsOf = (list: readonly Host[]) => list.map(({ id }) => id);
const askedOrder = (orders: readonly unknown[]): number[] => (orders.at(-1) as Order | undefined)?.ids ?? [];

/** The order in which hosts are shown, and how one gets another place. Once that is stored, there is a way back. */
export function useHostOrder() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const waiting = useMutationState({ filters: WAITING, select: ({ state }) => state.variables });
  const order = useMutation({
    mutationKey: MUTATION,
    // One after the other.
    scope: { id: 'host-order' },
    // Only the ids are sent: what other admins have changed in the hosts meanwhile stays.
    mutationFn: ({ ids }: Order) => dataOf(api.PATCH('/api/hosts/order', { body: { ids } })),
    onMutate: () => hideUndo(),
    onError: () => client.invalidateQueries({ queryKey: hostsQuery.queryKey }),
    onSuccess: (list, { before }) => {
      if (client.isMutating(WAITING) > 1) return;
      client.setQueryData(hostsQuery.queryKey, list);
      if (before) hideUndo = notifyUndo(t('hosts.moved'), () => undo(before));
    },
  });
  const present = () => client.getQueryData(hostsQuery.queryKey) ?? [];
  const undo = (before: number[]) => {
    // The server refuses an order that names a host which was deleted meanwhile.
    const ids = new Set(idsOf(present()));
    order.mutate({ ids: before.filter((id) => ids.has(id)) });
  };
  return {
    /** What was asked for last is shown before it is stored, also where the list is read again meanwhile. */
    arrange: (hosts: readonly Host[]) => arranged(hosts, askedOrder(waiting)),
    move: (id: number, to: (place: number) => number) => {
      // The last order may not be drawn yet.
      const asked = client.getMutationCache().findAll(WAITING);
      const before = idsOf(arranged(present(), askedOrder(asked.map(({ state }) => state.variables))));
      const ids = moved(before, id, to(before.indexOf(id)));
      if (`${ids}` !== `${before}`) order.mutate({ ids, before });
    },
  };
}
