import { Modal, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpenQuestion } from '../../../ui/feedback/confirm';
import { SessionList } from './session-list';
import { TokenList } from './token-list';

/** Everything by which an admin is let in: logins in browsers, and tokens for programs. */
export function AccessDialog({ username, onClose }: { username: string; onClose: () => void }) {
  const { t } = useTranslation();
  const question = useOpenQuestion();
  const [hasDialog, setHasDialog] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnEscape={!hasDialog && question === undefined}
      size="xl"
      title={t('admins.accessOf', { username })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
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
          <TokenList admin={username} onDialog={setHasDialog} />
        </section>
      </Stack>
    </Modal>
  );
}
