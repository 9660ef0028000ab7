import { Card, Center, Group, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionState } from '../../api/session-state';
import { Logo } from '../../ui/logo';
import { LoginForm } from './login-form';

/** The page for those who are not logged in. */
export function LoginPage({ preferences }: { preferences: ReactNode }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const done = () => {
    sessionState.set('open');
    void client.resetQueries();
  };
  useEffect(() => {
    document.title = `${t('login.title')} · Rampart`;
  }, [t]);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={380} gap="lg">
        <Group gap="sm" justify="center">
          <Logo size={36} />
          <Title order={1} size="h2">
            Rampart
          </Title>
        </Group>
        <Card withBorder padding="lg" bg="var(--surface)">
          <LoginForm onDone={done} />
        </Card>
        <Group justify="center">{preferences}</Group>
      </Stack>
    </Center>
  );
}
