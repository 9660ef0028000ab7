import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error';
import { api, dataOf } from '../../../api/client';
import { confirm } from '../../../ui/feedback/confirm';
import { notifyDone, notifyUndo } from '../../../ui/feedback/notify';
import { doneWords } from './done-words';
import { type FormerState, formerStatus } from './undo';

/** The names of the selected users by their ids. */
export type SelectedUsers = ReadonlyMap<number, string>;

/** What a call has done: the former state of a user whom it has changed. */
type Done = FormerState | 'deleted' | 'unchanged';

async function setStatus(username: string, status: FormerState['status']): Promise<Done> {
  const params = { path: { username } };
  const before = formerStatus((await dataOf(api.GET('/api/user/{username}', { params }))).status);
  // Whoever is not disabled is enabled: a user on hold stays on hold.
  if ((before === 'disabled') === (status === 'disabled')) return 'unchanged';
  await api.PUT('/api/user/{username}', { params, body: { status } });
  return { username, status: before };
}

const CALLS = {
  enable: (username: string) => setStatus(username, 'active'),
  disable: (username: string) => setStatus(username, 'disabled'),
  delete: async (username: string): Promise<Done> => {
    // Somebody else was quicker, or this is a second try.
    await api.DELETE('/api/user/{username}', { params: { path: { username } } }).catch(unlessGone);
    return 'deleted';
  },
} as const;
export type OneByOne = keyof typeof CALLS;

/** Changes for which the API has no call on many users: each selected user is changed alone, and `done` counts them. */
export function useOneByOne(selected: SelectedUsers, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [done, setDone] = useState<number>();
  const refresh = () => client.invalidateQueries({ queryKey: ['users'] });
  const goBack = useMutation({
    mutationFn: async (users: readonly FormerState[]) => {
      for (const { username, status } of users)
        await api.PUT('/api/user/{username}', { params: { path: { username } }, body: { status } }).catch(unlessGone);
    },
    onSuccess: () => notifyDone(t('bulk.undone')),
    onSettled: refresh,
  });
  const run = useMutation({
    mutationFn: async (action: OneByOne) => {
      const all: Done[] = [];
      setDone(0);
      for (const username of selected.values()) {
        all.push(await CALLS[action](username));
        setDone(all.length);
      }
      return all;
    },
    onSuccess: (all) => {
      const words = doneWords(all.filter((one) => one !== 'unchanged').length, all.length);
      const former = all.filter((one) => typeof one === 'object');
      if (former.length > 0) notifyUndo(words, () => goBack.mutate(former));
      else notifyDone(words);
      onDone();
    },
    onSettled: () => {
      setDone(undefined);
      return refresh();
    },
  });
  return {
    done,
    ask: (action: OneByOne) =>
      confirm({
        title: t(`bulk.titles.${action}`, { count: selected.size }),
        text: [...selected.values()].join(', '),
        action: t(`common.${action}`),
        isDangerous: action === 'delete',
        onConfirm: () => run.mutate(action),
      }),
  };
}

/** Leaves out a user who was deleted meanwhile. */
function unlessGone(error: unknown): undefined {
  if (ApiError.from(error).status !== 404) throw error;
}
