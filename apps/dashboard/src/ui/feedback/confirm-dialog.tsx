import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../dialog/dialog';
import type { Question } from './confirm';

/** A question of `confirm`, above the dialog that asks it. */
export function ConfirmDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const { t } = useTranslation();
  const { title, text, action, isDangerous = true, onConfirm } = question;
  return (
    <Dialog onClose={onClose} title={title} zIndex={300}>
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" data-autofocus onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            {...(isDangerous && { color: 'red.9' })}
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
