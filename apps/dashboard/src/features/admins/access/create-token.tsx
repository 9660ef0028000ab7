import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import type { ApiToken } from '../../../api/types';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';

const SCOPES = ['read', 'users', 'all'] as const;

interface Props {
  admin: string;
  onClose: () => void;
  onCreated: (token: string) => void;
}

/** The form of a new API token. */
export function CreateToken({ admin, onClose, onCreated }: Props) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { name: '', scope: 'read' as ApiToken['scope'], expires_at: '' } });
  const { scope } = form.getValues();
  const save = useSave({
    form,
    send: ({ expires_at, ...values }) =>
      dataOf(
        api.POST('/api/admin/tokens', {
          body: {
            ...values,
            admin_username: admin,
            expires_at: expires_at ? new Date(`${expires_at}T23:59:59`).toISOString() : null,
          },
        }),
      ),
    shownBy: ['tokens'],
    onSaved: ({ token }) => onCreated(token),
  });
  return (
    <FormDialog
      title={t('admins.createToken')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={t('common.create')}
    >
      <TextInput
        label={t('users.name')}
        description={t('admins.tokenNameHint')}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Select
        label={t('admins.scope')}
        description={t(`admins.scopeHints.${scope}`)}
        data={SCOPES.map((value) => ({ value, label: t(`admins.scopes.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps('scope')}
      />
      <TextInput
        type="date"
        label={t('users.lastDay')}
        description={t('admins.tokenEndHint')}
        {...form.getInputProps('expires_at')}
      />
    </FormDialog>
  );
}
