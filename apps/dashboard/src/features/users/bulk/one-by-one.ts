import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error';
import { api, dataOf } from '../../../api/client';
import { confirm } from '../../../ui/feedback/confirm';
import { notifyDone, notifyUndo } from '../../../ui/feedback/notify';
import { doneWords } from './done-words';
import { type FormerState, formerStatus } from './undo';

/** The user was deleted meanwhile. */
const GONE = 404;
/** Somebody else has changed the user meanwhile. */
const CHANGED = 412;

/** The names of the selected users by their ids. */
export type SelectedUsers = ReadonlyMap<number, string>;

/** What a call has done: the former state of a user whom it has changed. */
type Done = FormerState | 'deleted' | 'unchanged';

async function setStatus(username: string, status: FormerState['status']): Promise<Done> {
  const params = { path: { username } };
  const user = await dataOf(api.GET('/api/user/{username}', { params })).catch(unless(GONE));
  if (!user) return 'unchanged';
  const before = formerStatus(user.status);
  // Whoever is not disabled is enabled: a user on hold stays on hold.
  if ((before === 'disabled') === (status === 'disabled')) return 'unchanged';
  const changed = await dataOf(api.PUT('/api/user/{username}', { params, body: { status } })).catch(unless(GONE));
  return changed ? { username, status: before, version: changed.version } : 'unchanged';
}

const CALLS = {
  enable: (username: string) => setStatus(username, 'active'),
  disable: (username: string) => setStatus(username, 'disabled'),
  delete: async (username: string): Promise<Done> => {
    // Somebody else was quicker, or this is a second try.
    await api.DELETE('/api/user/{username}', { params: { path: { username } } }).catch(unless(GONE));
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
      let back = 0;
      for (const { username, status, version } of users) {
        const params = { path: { username }, header: { 'if-match': version } };
        const call = api.PUT('/api/user/{username}', { params, body: { status } });
        if (await call.catch(unless(GONE, CHANGED))) back += 1;
      }
      return back;
    },
    onSuccess: (back, { length }) => notifyDone(back === length ? t('bulk.undone') : doneWords(back, length)),
    onSettled: refresh,
  });
  const tell = (all: readonly Done[]) => {
    const words = doneWords(all.filter((one) => one !== 'unchanged').length, selected.size);
    const former = all.filter((one) => typeof one === 'object');
    if (former.length > 0) notifyUndo(words, () => goBack.mutate(former));
    else notifyDone(words);
  };
  const run = useMutation({
    mutationFn: async (action: OneByOne) => {
      const all: Done[] = [];
      setDone(0);
      try {
        for (const username of selected.values()) {
          all.push(await CALLS[action](username));
          setDone(all.length);
        }
      } finally {
        // Where a call fails, what was done before it can be undone too.
        if (all.length > 0) tell(all);
      }
    },
    onSuccess: onDone,
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

/** Passes over users for whom a call was refused with one of these codes; any other error stops the work. */
const unless =
  (...expected: readonly number[]) =>
  (error: unknown): undefined => {
    if (!expected.includes(ApiError.from(error).status)) throw error;
  };
