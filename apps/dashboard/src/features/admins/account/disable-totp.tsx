import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';
import { RevokeTokens } from '../access/revoke-tokens';
import { Password } from './change-password';

/** Asks for the own password and a code before the second factor is turned off. */
export function DisableTotp({ admin, onDone, onClose }: { admin: string; onDone: () => unknown; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { password: '', code: '', revoke_tokens: false } });
  const save = useSave({
    form,
    send: (body) => dataOf(api.POST('/api/admin/totp/disable', { body })),
    shownBy: ['tokens', 'sessions'],
    onSaved: onDone,
  });
  return (
    <FormDialog
      title={t('admins.totpOff')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={t('admins.totpOff')}
      size="md"
    >
      <Password
        label={t('admins.currentPassword')}
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
      <TextInput
        label={t('login.code')}
        required
        dir="ltr"
        autoComplete="one-time-code"
        {...form.getInputProps('code')}
      />
      <RevokeTokens admin={admin} {...form.getInputProps('revoke_tokens', { type: 'checkbox' })} />
    </FormDialog>
  );
}
