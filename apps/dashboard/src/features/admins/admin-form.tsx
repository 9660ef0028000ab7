import { Fieldset, NumberInput, PasswordInput, SegmentedControl, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import type { Admin } from '../../api/types';
import { FormDialog } from '../../ui/form/form-dialog';
import { changedMembers, useSave } from '../../ui/form/use-save';
import { RevokeTokens } from './access/revoke-tokens';
import { adminBody, adminValues, newAdminBody } from './admin-values';

/** The form of an admin, for a new one or one that exists. */
export function AdminForm({ admin, onClose }: { admin: Admin | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const before = useMemo(() => adminValues(admin), [admin]);
  const form = useForm({ initialValues: before });
  const save = useSave({
    form,
    before: admin,
    valuesOf: adminValues,
    send: (values, header) =>
      dataOf(
        admin
          ? api.PUT('/api/admin/{username}', {
              params: { path: { username: admin.username }, header },
              body: changedMembers(adminBody(before), adminBody(values)),
            })
          : api.POST('/api/admin', { body: newAdminBody(values) }),
      ),
    shownBy: ['admins', 'self', 'sessions', 'tokens'],
    onSaved: onClose,
  });
  return (
    <FormDialog
      title={admin ? t('users.editTitle', { username: admin.username }) : t('admins.create')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={admin ? t('common.save') : t('common.create')}
    >
      {!admin && (
        <TextInput
          label={t('login.username')}
          description={t('admins.nameHint')}
          required
          data-autofocus
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
      )}
      <PasswordInput
        label={admin ? t('admins.newPassword') : t('login.password')}
        description={admin ? t('admins.newPasswordHint') : t('admins.passwordHint')}
        required={!admin}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }}
        {...form.getInputProps('password')}
      />
      {admin && form.getValues().password !== '' && (
        <RevokeTokens admin={admin.username} {...form.getInputProps('revoke_tokens', { type: 'checkbox' })} />
      )}
      <div>
        <Text component="div" size="sm" fw={500} mb={4}>
          {t('admins.role')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={t('admins.role')}
          data={[
            { value: 'false', label: t('admins.roles.admin') },
            { value: 'true', label: t('admins.roles.sudo') },
          ]}
          {...form.getInputProps('is_sudo')}
        />
        <Text size="xs" c="var(--quiet)" mt={4}>
          {form.getValues().is_sudo === 'true' ? t('admins.roleHints.sudo') : t('admins.roleHints.admin')}
        </Text>
      </div>
      {form.getValues().is_sudo === 'false' && (
        <NumberInput
          label={t('admins.maxUsers')}
          description={t('admins.maxUsersHint')}
          min={0}
          max={2_147_483_647}
          allowDecimal={false}
          {...form.getInputProps('max_users')}
        />
      )}
      <Fieldset legend={t('admins.subscriptions')}>
        <TextInput
          label={t('form.profileTitle')}
          placeholder={t('admins.asSettings')}
          {...form.getInputProps('profile_title')}
        />
        <TextInput
          mt="sm"
          label={t('form.supportUrl')}
          placeholder={t('admins.asSettings')}
          dir="ltr"
          {...form.getInputProps('support_url')}
        />
        <TextInput
          mt="sm"
          label={t('form.urlPrefix')}
          placeholder={t('admins.asSettings')}
          dir="ltr"
          {...form.getInputProps('sub_domain')}
        />
      </Fieldset>
      <Switch label={t('admins.isDisabled')} {...form.getInputProps('is_disabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
