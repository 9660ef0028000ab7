import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '../../api/queries';
import { sessionState } from '../../api/session-state';
import { Dialog } from '../../ui/dialog/dialog';
import { LoginForm } from './login-form';

/** Asks for the password over the page when the login has ended, so that nothing that was typed is lost. */
export function LoginAgain() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: self } = useQuery(selfQuery);
  const done = () => {
    sessionState.set('open');
    void client.invalidateQueries();
  };
  return (
    <Dialog
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      title={t('login.again')}
      zIndex={400}
    >
      <Text size="sm" mb="md">
        {t('login.againText')}
      </Text>
      <LoginForm username={self?.username} onDone={done} />
    </Dialog>
  );
}
