import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error';
import { api, dataOf } from '../../api/client';
import { selfQuery, totpQuery } from '../../api/queries';
import { stepUp } from '../../api/step-up';
import { Dialog } from '../../ui/dialog/dialog';
import { Notice } from '../../ui/feedback/notice';
import { messageOf } from '../../ui/feedback/notify';

/** Asks for password and code over the page before a change of who may act; what waits for it then goes on. */
export function StepUpDialog() {
  const { t } = useTranslation();
  const { data: self } = useQuery(selfQuery);
  const { data: totp } = useQuery(totpQuery);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const prove = useMutation({
    meta: { isShown: true },
    mutationFn: () => dataOf(api.POST('/api/admin/step-up', { body: { password, ...(code && { totp: code }) } })),
    onSuccess: () => stepUp.answer(true),
  });
  const fields = prove.error ? ApiError.from(prove.error).fields : {};
  return (
    <Dialog onClose={() => stepUp.answer(false)} title={t('login.stepUp')} size="md" zIndex={350}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // The form that waits may be around this one in the tree of the page.
          event.stopPropagation();
          prove.mutate();
        }}
      >
        <Stack gap="md">
          <Text size="sm">{t('login.stepUpText')}</Text>
          {prove.error && Object.keys(fields).length === 0 && (
            <Notice tone="bad" isAlert>
              {messageOf(prove.error)}
            </Notice>
          )}
          {/* Password managers find the account by it. */}
          <input type="text" autoComplete="username" value={self?.username ?? ''} readOnly hidden />
          <PasswordInput
            label={t('login.password')}
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }}
            error={fields['password']}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {(totp?.is_enabled || fields['totp'] || code !== '') && (
            <TextInput
              label={t('login.code')}
              autoComplete="one-time-code"
              dir="ltr"
              error={fields['totp']}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value.trim())}
            />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => stepUp.answer(false)}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={prove.isPending}>
              {t('login.goOn')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
