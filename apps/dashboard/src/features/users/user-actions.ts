import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { userQuery } from '../../api/queries';
import type { User, UserModify, UserStatus } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { notifyDone, notifyUndo } from '../../ui/feedback/notify';

/** The changes of one user that need no form, each with the question that it deserves. */
export function useUserActions(username: string, onDeleted?: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const params = { path: { username } };
  const show = (user: User | undefined) => {
    if (user) client.setQueryData(userQuery(username).queryKey, user);
    return client.invalidateQueries({ queryKey: ['users', 'list'] });
  };
  // The menu that makes a change is gone when the answer comes, so nothing may depend on a component that is shown.
  const setStatus = useMutation({
    mutationFn: ({
      status,
      version,
    }: {
      status: UserModify['status'];
      back?: UserModify['status'];
      version?: string;
    }) =>
      dataOf(
        api.PUT('/api/user/{username}', {
          params: { ...params, ...(version !== undefined && { header: { 'if-match': version } }) },
          body: { status },
        }),
      ),
    onSuccess: (user, { back }) => {
      if (back) {
        const words =
          user.status === 'disabled' ? t('users.disableDone', { username }) : t('users.enableDone', { username });
        // What somebody else has changed since is not undone.
        notifyUndo(words, () => setStatus.mutate({ status: back, version: user.version }));
      }
      return show(user);
    },
  });
  /** Disables a user, or enables a disabled one. */
  const toggle = (was: UserStatus) =>
    setStatus.mutate({
      status: was === 'disabled' ? 'active' : 'disabled',
      back: was === 'on_hold' || was === 'disabled' ? was : 'active',
    });
  const reset = useMutation({
    mutationFn: () => dataOf(api.POST('/api/user/{username}/reset', { params })),
    onSuccess: (user) => {
      notifyDone(t('users.resetDone'));
      return show(user);
    },
  });
  const revoke = useMutation({
    mutationFn: () => dataOf(api.POST('/api/user/{username}/revoke_sub', { params })),
    onSuccess: (user) => {
      notifyDone(t('users.revokeDone'));
      return show(user);
    },
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/user/{username}', { params })),
    onSuccess: () => {
      onDeleted?.();
      client.removeQueries({ queryKey: userQuery(username).queryKey });
      notifyDone(t('users.deleteDone', { username }));
      return show(undefined);
    },
  });
  return {
    isBusy: setStatus.isPending || reset.isPending || revoke.isPending || remove.isPending,
    toggle,
    reset: () =>
      confirm({
        title: t('users.resetTitle', { username }),
        text: t('users.resetText'),
        action: t('users.reset'),
        isDangerous: false,
        onConfirm: reset.mutate,
      }),
    revoke: () =>
      confirm({
        title: t('users.revokeTitle', { username }),
        text: t('users.revokeText'),
        action: t('users.revoke'),
        onConfirm: revoke.mutate,
      }),
    remove: () =>
      confirm({
        title: t('users.deleteTitle', { username }),
        text: t('users.deleteText'),
        action: t('common.delete'),
        onConfirm: remove.mutate,
      }),
  };
}
