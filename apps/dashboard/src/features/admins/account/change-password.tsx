import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import { OWN_HEADER } from '../../../api/own-header';
import { sessionState } from '../../../api/session-state';
import { notifyDone } from '../../../ui/feedback/notify';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';

/** Changes the own password. It ends all logins, so this browser logs in again with the new one. */
export function ChangePassword({ username, onClose }: { username: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { current_password: '', password: '' } });
  const save = useSave({
    form,
    send: (body) => dataOf(api.PUT('/api/admin', { body })),
    shownBy: ['self', 'sessions', 'totp', 'tokens'],
    onSaved: async () => {
      const { password } = form.getValues();
      try {
        await api.POST('/api/admin/session', { params: { header: OWN_HEADER }, body: { username, password } });
        sessionState.set('open');
      } catch {
        // A login with a second factor asks for its code.
        sessionState.set('ended');
      }
      notifyDone(t('admins.passwordChanged'));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('admins.changePassword')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={t('common.save')}
    >
      {/* Password managers find the account by it. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <Password
        label={t('admins.currentPassword')}
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('current_password')}
      />
      <Password
        label={t('admins.newPassword')}
        description={t('admins.passwordHint')}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}

/** A required password. */
export function Password(props: PasswordInputProps) {
  const { t } = useTranslation();
  return <PasswordInput required visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }} {...props} />;
}
