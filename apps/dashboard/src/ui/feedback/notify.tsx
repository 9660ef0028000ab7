import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ApiError } from '../../api/api-error';
import { i18n } from '../i18n/i18n';
import { wordsOf } from '../i18n/words';

/** What went wrong in the language of the page where the code is known, else the sentence of the API. */
export function messageOf(error: unknown): string {
  const { code, message, retryAfter } = ApiError.from(error);
  return wordsOf(`errors.${code}`, { seconds: retryAfter ?? 60, message }) ?? message;
}

/** Tells of a change that failed. The end of a login is told by the dialog that it opens. */
export function notifyError(error: unknown): void {
  if (ApiError.from(error).status === 401) return;
  notifications.show({
    color: 'red',
    title: i18n.t('common.failed'),
    message: messageOf(error),
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': i18n.t('common.close') },
  });
}

/** Tells of a change that was made, with a way back; what it returns hides that again. */
export function notifyUndo(message: string, undo: () => void): () => void {
  const id = notifications.show({
    message: (
      <Group justify="space-between" gap="sm">
        {message}
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          {i18n.t('common.undo')}
        </Button>
      </Group>
    ),
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': i18n.t('common.close') },
  });
  return () => void notifications.hide(id);
}

/** Tells what is not as it may be meant in a change that was made. */
export function notifyWarning(message: string): void {
  notifications.show({
    color: 'yellow',
    message,
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': i18n.t('common.close') },
  });
}

/** Tells of a change that was made. */
export function notifyDone(message: string): void {
  notifications.show({ message, closeButtonProps: { 'aria-label': i18n.t('common.close') } });
}
