import { Group, Stack, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../dialog/dialog';
import { Notice } from '../feedback/notice';
import { CopyButton } from './copy-button';

interface Props {
  title: string;
  /** What it is good for, and why it must be kept. */
  warning: string;
  text: string;
  onClose: () => void;
}

/** A secret that no later answer contains. */
export function ShownOnce({ title, warning, text, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} size="lg" title={title}>
      <Stack gap="md">
        <Notice tone="warning" title={t('nodes.shownOnce')}>
          {warning}
        </Notice>
        <Textarea
          value={text}
          readOnly
          autosize
          dir="ltr"
          aria-label={title}
          data-autofocus
          onFocus={(event) => event.target.select()}
        />
        <Group>
          <CopyButton text={text} label={t('common.copy')} />
        </Group>
      </Stack>
    </Dialog>
  );
}
