import { Card, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { systemQuery } from '../../api/queries';
import { Facts } from '../../ui/list/facts';

const VARIABLES = [
  'RAMPART_DASHBOARD',
  'RAMPART_SESSION_MINUTES',
  'RAMPART_PUBLIC_URL',
  'RAMPART_TRUSTED_PROXIES',
  'RAMPART_DOCS',
] as const;

/** What this page itself depends on: choices that the browser keeps, and settings in the environment of management. */
export function DashboardNotes() {
  const { t } = useTranslation();
  const { data: system } = useQuery(systemQuery);
  return (
    <Card withBorder bg="var(--surface)" padding="md">
      <Stack gap="md">
        <Text size="sm">{t('settings.dashboardText')}</Text>
        <Facts
          facts={[
            { name: t('settings.version'), value: <bdi>Rampart {system?.version}</bdi> },
            ...VARIABLES.map((name) => ({ name, value: t(`settings.variables.${name}`) })),
          ]}
        />
      </Stack>
    </Card>
  );
}
