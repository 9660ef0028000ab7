import { Checkbox, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import type { ApiToken } from '../../../api/types';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';

const GRANTS = ['secrets', 'identity'] as const;
/** How long a token is valid unless another day is chosen. */
const VALID_MS = 90 * 86_400_000;

const SCOPES = ['read', 'users', 'all'] as const;

interface Props {
  admin: string;
  onClose: () => void;
  onCreated: (token: string) => void;
}

/** Changing who may act needs the scope for everything. */
const isOffered = (grant: ApiToken['grants'][number], scope: ApiToken['scope']): boolean =>
  grant !== 'identity' || scope === 'all';

/** The form of a new API token. */
export function CreateToken({ admin, onClose, onCreated }: Props) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: {
      name: '',
      scope: 'read' as ApiToken['scope'],
      grants: [] as ApiToken['grants'],
      expires_at: new Date(Date.now() + VALID_MS).toISOString().slice(0, 10),
      allowed_networks: '',
    },
  });
  const { scope } = form.getValues();
  const save = useSave({
    form,
    send: ({ expires_at, allowed_networks, grants, ...values }) =>
      dataOf(
        api.POST('/api/admin/tokens', {
          body: {
            ...values,
            grants: grants.filter((grant) => isOffered(grant, values.scope)),
            admin_username: admin,
            expires_at: expires_at ? new Date(`${expires_at}T23:59:59`).toISOString() : null,
            allowed_networks: allowed_networks.split(/[\s,]+/).filter((network) => network !== ''),
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
      <Checkbox.Group label={t('admins.grantsTitle')} {...form.getInputProps('grants')}>
        <Stack gap="xs" mt="xs">
          {GRANTS.map((grant) => (
            <Checkbox
              key={grant}
              value={grant}
              label={t(`admins.grants.${grant}`)}
              description={t(`admins.grantHints.${grant}`)}
              disabled={!isOffered(grant, scope)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        type="date"
        label={t('users.lastDay')}
        description={t('admins.tokenEndHint')}
        {...form.getInputProps('expires_at')}
      />
      <Textarea
        label={t('admins.tokenNetworks')}
        description={t('admins.tokenNetworksHint')}
        autosize
        {...form.getInputProps('allowed_networks')}
      />
    </FormDialog>
  );
}
