import { Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../../ui/dialog/dialog';
import { SessionList } from './session-list';
import { TokenList } from './token-list';

/** Everything by which an admin is let in: logins in browsers, and tokens for programs. */
export function AccessDialog({ username, onClose }: { username: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} size="xl" title={t('admins.accessOf', { username })}>
      <Stack gap="lg">
        <section>
          <Title order={3} size="h5" mb="xs">
            {t('admins.sessions')}
          </Title>
          <SessionList admin={username} />
        </section>
        <section>
          <Title order={3} size="h5" mb="xs">
            {t('admins.tokens')}
          </Title>
          <TokenList admin={username} />
        </section>
      </Stack>
    </Dialog>
  );
}
