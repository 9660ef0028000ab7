import { PasswordInput, type PasswordInputProps, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import { notifyDone } from '../../../ui/feedback/notify';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';
import { RevokeTokens } from '../access/revoke-tokens';

/** Changes the own password, which ends all other logins. */
export function ChangePassword({ username, onClose }: { username: string; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { current_password: '', password: '', totp: '', revoke_tokens: false } });
  const save = useSave({
    form,
    send: ({ totp, ...body }) => dataOf(api.PUT('/api/admin', { body: { ...body, totp: totp.trim() || null } })),
    shownBy: ['self', 'sessions', 'totp', 'tokens'],
    onSaved: () => {
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
      {(save.problems['totp'] || form.getValues().totp !== '') && (
        <TextInput label={t('login.code')} dir="ltr" autoComplete="one-time-code" {...form.getInputProps('totp')} />
      )}
      <RevokeTokens admin={username} {...form.getInputProps('revoke_tokens', { type: 'checkbox' })} />
    </FormDialog>
  );
}

/** A required password. */
export function Password(props: PasswordInputProps) {
  const { t } = useTranslation();
  return <PasswordInput required visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }} {...props} />;
}
