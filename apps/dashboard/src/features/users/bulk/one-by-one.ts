import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error';
import { api, dataOf } from '../../../api/client';
import { confirm } from '../../../ui/feedback/confirm';
import { notifyDone } from '../../../ui/feedback/notify';
import { doneWords } from './done-words';

/** The names of the selected users by their ids. */
export type SelectedUsers = ReadonlyMap<number, string>;

/** Each answers false where there was nothing to change. */
const CALLS = {
  /** Whoever is not disabled is enabled: a user on hold stays on hold. */
  enable: async (username: string) => {
    const params = { path: { username } };
    const { status } = await dataOf(api.GET('/api/user/{username}', { params }));
    if (status !== 'disabled') return false;
    return api.PUT('/api/user/{username}', { params, body: { status: 'active' } });
  },
  disable: (username: string) =>
    api.PUT('/api/user/{username}', { params: { path: { username } }, body: { status: 'disabled' } }),
  delete: (username: string) => api.DELETE('/api/user/{username}', { params: { path: { username } } }),
} as const;
export type OneByOne = keyof typeof CALLS;

/** Changes for which the API has no call on many users: each selected user is changed alone, and `done` counts them. */
export function useOneByOne(selected: SelectedUsers, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [done, setDone] = useState<number>();
  const run = useMutation({
    mutationFn: async (action: OneByOne) => {
      let [count, changed] = [0, 0];
      setDone(0);
      for (const username of selected.values()) {
        const answer = await CALLS[action](username).catch((error: unknown) => {
          // Somebody else was quicker, or this is a second try.
          if (action !== 'delete' || ApiError.from(error).status !== 404) throw error;
        });
        if (answer !== false) changed += 1;
        count += 1;
        setDone(count);
      }
      return doneWords(changed, count);
    },
    onSuccess: (words) => {
      notifyDone(words);
      onDone();
    },
    onSettled: () => {
      setDone(undefined);
      return client.invalidateQueries({ queryKey: ['users'] });
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
