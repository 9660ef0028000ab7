import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '../../../api/queries';
import { IconKey } from '../../../ui/icons';
import { QueryView } from '../../../ui/list/query-view';
import { Page } from '../../../ui/page';
import { SessionList } from '../access/session-list';
import { TokenList } from '../access/token-list';
import { ChangePassword } from './change-password';
import { SecondFactor } from './second-factor';

/** The own account: password, second factor, logins and API tokens. */
export function AccountPage() {
  const { t } = useTranslation();
  const self = useQuery(selfQuery);
  const [isChanging, setChanging] = useState(false);
  return (
    <Page title={t('shell.account')} note={<bdi>{self.data?.username}</bdi>}>
      <QueryView query={self}>
        {({ username }) => (
          <>
            <Section title={t('login.password')} text={t('admins.passwordText')}>
              <Group>
                <Button variant="default" leftSection={<IconKey size={16} />} onClick={() => setChanging(true)}>
                  {t('admins.changePassword')}
                </Button>
              </Group>
              {isChanging && <ChangePassword username={username} onClose={() => setChanging(false)} />}
            </Section>
            <Section title={t('admins.totp')} text={t('admins.totpText')}>
              <SecondFactor admin={username} />
            </Section>
            <Section title={t('admins.sessions')} text={t('admins.sessionsText')}>
              <SessionList admin={username} />
            </Section>
            <Section title={t('admins.tokens')} text={t('admins.tokensText')}>
              <TokenList admin={username} />
            </Section>
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Card component="section" withBorder bg="var(--surface)" padding="md">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text size="sm" c="var(--quiet)">
            {text}
          </Text>
        </div>
        {children}
      </Stack>
    </Card>
  );
}
