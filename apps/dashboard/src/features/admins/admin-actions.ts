import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import type { Admin } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { notifyDone } from '../../ui/feedback/notify';

/** The changes of an admin that need no form, each with the question that it deserves. */
export function useAdminActions({ username, version, is_disabled: isDisabled, total_users: users }: Admin) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const path = { username };
  const header = { 'if-match': version };
  const { mutate } = useMutation({
    mutationFn: ({ run }: { run: () => Promise<unknown>; done: string }) => run(),
    onSuccess: (_, { done }) => notifyDone(done),
    onSettled: () =>
      Promise.all(['admins', 'users', 'sessions'].map((name) => client.invalidateQueries({ queryKey: [name] }))),
  });
  const ask = (title: string, text: string, action: string, run: () => Promise<unknown>, done: string) =>
    confirm({ title, text, action, onConfirm: () => mutate({ run, done }) });
  const saved = t('users.modifyDone', { username });
  const toggle = () =>
    dataOf(api.PUT('/api/admin/{username}', { params: { path, header }, body: { is_disabled: !isDisabled } }));
  return {
    toggle: () =>
      isDisabled
        ? mutate({ run: toggle, done: saved })
        : ask(t('admins.disableTitle', { username }), t('admins.disableText'), t('common.disable'), toggle, saved),
    reset: () =>
      ask(
        t('users.resetTitle', { username }),
        t('admins.resetText'),
        t('admins.reset'),
        () => dataOf(api.POST('/api/admin/{username}/reset', { params: { path } })),
        t('users.resetDone'),
      ),
    resetTotp: () =>
      ask(
        t('admins.resetTotpTitle', { username }),
        t('admins.resetTotpText'),
        t('admins.resetTotp'),
        () => dataOf(api.DELETE('/api/admin/{username}/totp', { params: { path } })),
        t('admins.resetTotpDone'),
      ),
    disableUsers: () =>
      ask(
        t('admins.disableUsersTitle', { username }),
        t('admins.disableUsersText', { count: users }),
        t('admins.disableUsers'),
        () => dataOf(api.POST('/api/admin/{username}/users/disable', { params: { path } })),
        saved,
      ),
    enableUsers: () =>
      mutate({
        run: () => dataOf(api.POST('/api/admin/{username}/users/activate', { params: { path } })),
        done: saved,
      }),
    remove: () =>
      ask(
        t('users.deleteTitle', { username }),
        t('admins.deleteText', { count: users }),
        t('common.delete'),
        () => dataOf(api.DELETE('/api/admin/{username}', { params: { path, header } })),
        t('users.deleteDone', { username }),
      ),
  };
}
