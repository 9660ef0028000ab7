import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import { totpQuery } from '../../../api/queries';
import type { TotpEnrolment } from '../../../api/types';
import { notifyDone } from '../../../ui/feedback/notify';
import { IconShield } from '../../../ui/icons';
import { QueryView } from '../../../ui/list/query-view';
import { StatusBadge } from '../../../ui/list/status-badge';
import { ShownOnce } from '../../../ui/share/shown-once';
import { ConfirmTotp } from './confirm-totp';
import { DisableTotp } from './disable-totp';
import { PasswordDialog } from './password-dialog';

/** Turns the second factor on, in three steps (password, code, recovery codes), and off. */
export function SecondFactor({ admin }: { admin: string }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const totp = useQuery(totpQuery);
  const [step, setStep] = useState<'enrol' | 'disable'>();
  const [enrolment, setEnrolment] = useState<TotpEnrolment>();
  const [codes, setCodes] = useState<readonly string[]>();
  const refresh = () => client.invalidateQueries(totpQuery);
  return (
    <QueryView query={totp}>
      {({ is_enabled: isEnabled, recovery_codes_left: left }) => (
        <>
          <Group gap="sm">
            <StatusBadge tone={isEnabled ? 'good' : 'quiet'}>
              {isEnabled ? t('common.enabled') : t('common.disabled')}
            </StatusBadge>
            {isEnabled && (
              <Text size="sm" c="var(--quiet)">
                {t('admins.codesLeft', { count: left })}
              </Text>
            )}
          </Group>
          <Group>
            <Button
              variant="default"
              leftSection={<IconShield size={16} />}
              onClick={() => setStep(isEnabled ? 'disable' : 'enrol')}
            >
              {isEnabled ? t('admins.totpOff') : t('admins.totpOn')}
            </Button>
          </Group>
          {step === 'enrol' && (
            <PasswordDialog
              title={t('admins.totpOn')}
              submitLabel={t('admins.next')}
              send={(password) => dataOf(api.POST('/api/admin/totp', { body: { password } }))}
              onDone={(answer) => {
                setStep(undefined);
                setEnrolment(answer);
              }}
              onClose={() => setStep(undefined)}
            />
          )}
          {enrolment && (
            <ConfirmTotp
              admin={admin}
              enrolment={enrolment}
              onClose={() => setEnrolment(undefined)}
              onDone={(recoveryCodes) => {
                setEnrolment(undefined);
                setCodes(recoveryCodes);
                return refresh();
              }}
            />
          )}
          {codes && (
            <ShownOnce
              title={t('admins.recoveryCodes')}
              warning={t('admins.recoveryCodesText')}
              text={codes.join('\n')}
              onClose={() => setCodes(undefined)}
            />
          )}
          {step === 'disable' && (
            <DisableTotp
              admin={admin}
              onDone={() => {
                setStep(undefined);
                notifyDone(t('admins.totpIsOff'));
                return refresh();
              }}
              onClose={() => setStep(undefined)}
            />
          )}
        </>
      )}
    </QueryView>
  );
}
