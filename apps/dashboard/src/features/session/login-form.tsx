import '../../ui/page-styles.css';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error';
import { api, dataOf } from '../../api/client';
import { OWN_HEADER } from '../../api/own-header';
import { Notice } from '../../ui/feedback/notice';
import { messageOf } from '../../ui/feedback/notify';

/** Asks for name and password, and begins a session of this browser. */
export function LoginForm({ username: known, onDone }: { username?: string | undefined; onDone: () => void }) {
  const { t } = useTranslation();
  const [username, setUsername] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [totp, setTotp] = useState('');
  const login = useMutation({
    meta: { isShown: true },
    mutationFn: () =>
      dataOf(
        api.POST('/api/admin/session', {
          params: { header: OWN_HEADER },
          body: { username, password, ...(totp && { totp }) },
        }),
      ),
    onSuccess: onDone,
  });
  const needsCode = login.error !== null && ApiError.from(login.error).code.startsWith('TOTP_');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        login.mutate();
      }}
    >
      <Stack gap="md">
        {login.error && (
          <Notice tone="bad" isAlert>
            {messageOf(login.error)}
          </Notice>
        )}
        <TextInput
          label={t('login.username')}
          autoComplete="username"
          autoCapitalize="off"
          spellCheck={false}
          required
          withAsterisk={false}
          readOnly={known !== undefined}
          data-autofocus={known === undefined}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('login.password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={known !== undefined}
          visibilityToggleButtonProps={{ 'aria-label': t('login.showPassword') }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {(needsCode || totp !== '') && (
          <TextInput
            label={t('login.code')}
            autoComplete="one-time-code"
            dir="ltr"
            autoFocus
            value={totp}
            onChange={(event) => setTotp(event.currentTarget.value.trim())}
          />
        )}
        <Button type="submit" loading={login.isPending} fullWidth>
          {t('login.submit')}
        </Button>
      </Stack>
    </form>
  );
}
