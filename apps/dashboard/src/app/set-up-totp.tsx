import { Button, Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/client';
import { selfQuery, totpQuery } from '../api/queries';
import { SecondFactor } from '../features/admins/account/second-factor';

/** The page of an admin who has to set up the second factor that the settings require, before anything else. */
export function SetUpTotp({ admin, preferences }: { admin: string; preferences: ReactNode }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: totp } = useQuery(totpQuery);
  const logout = useMutation({
    mutationFn: () => api.DELETE('/api/admin/session'),
    onSuccess: () => client.resetQueries(),
  });
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={480} gap="lg">
        <Card withBorder padding="lg" bg="var(--surface)">
          <Stack gap="sm">
            <Title order={1} size="h4">
              {t('admins.totp')}
            </Title>
            <Text size="sm">{t('login.setUpTotp')}</Text>
            <SecondFactor admin={admin} />
            {totp?.is_enabled && (
              <Button onClick={() => void client.invalidateQueries(selfQuery)}>{t('login.goOn')}</Button>
            )}
          </Stack>
        </Card>
        <Group justify="center">
          {preferences}
          <Button variant="subtle" onClick={() => logout.mutate()}>
            {t('shell.logout')}
          </Button>
        </Group>
      </Stack>
    </Center>
  );
}
