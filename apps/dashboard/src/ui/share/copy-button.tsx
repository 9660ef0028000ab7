import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconCheck, IconCopy } from '../icons';
import { copyText } from './copy';

const SHOWN_MS = 1500;

/** Copies a text, and says so for a moment. With `label` it is a button with words. */
export function CopyButton({ text, label, name }: { text: string; label?: string; name?: string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  const icon = isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />;
  if (label !== undefined)
    return (
      <Button variant="default" leftSection={icon} onClick={copy}>
        {isCopied ? t('common.copied') : label}
      </Button>
    );
  const words = isCopied ? t('common.copied') : (name ?? t('common.copy'));
  return (
    <Tooltip label={words}>
      <ActionIcon variant="subtle" color="gray" aria-label={words} onClick={copy}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
