import { Center, Code, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import type { TotpEnrolment } from '../../../api/types';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';
import { CopyButton } from '../../../ui/share/copy-button';
import { QrCode } from '../../../ui/share/qr-code';
import { RevokeTokens } from '../access/revoke-tokens';

interface Props {
  admin: string;
  enrolment: TotpEnrolment;
  onDone: (recoveryCodes: readonly string[]) => unknown;
  onClose: () => void;
}

/** Shows a new secret to an authenticator app, and asks for a code of it. */
export function ConfirmTotp({ admin, enrolment: { url, secret }, onDone, onClose }: Props) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { code: '', revoke_tokens: false } });
  const save = useSave({
    form,
    send: (body) => dataOf(api.POST('/api/admin/totp/confirm', { body })),
    shownBy: ['tokens', 'sessions'],
    onSaved: ({ recovery_codes }) => onDone(recovery_codes),
  });
  return (
    <FormDialog title={t('admins.totpOn')} onClose={onClose} form={form} save={save} submitLabel={t('admins.totpOn')}>
      <Text size="sm">{t('admins.totpScan')}</Text>
      <Center>
        <QrCode text={url} label={t('admins.totpQr')} />
      </Center>
      <Group gap="xs" wrap="nowrap">
        <Code dir="ltr" style={{ overflowWrap: 'anywhere' }}>
          {secret}
        </Code>
        <CopyButton text={secret} name={t('admins.copySecret')} />
      </Group>
      <TextInput
        label={t('admins.code')}
        required
        data-autofocus
        dir="ltr"
        inputMode="numeric"
        autoComplete="one-time-code"
        {...form.getInputProps('code')}
      />
      <RevokeTokens admin={admin} {...form.getInputProps('revoke_tokens', { type: 'checkbox' })} />
    </FormDialog>
  );
}
