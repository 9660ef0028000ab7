import { Button, Code, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../ui/share/copy';
import classes from './copy-line.module.css';

interface Props {
  /** What is copied. */
  text: string;
  /** What stands there of it; a secret of 2,000 letters says nothing. */
  shown?: string;
  onCopied?: () => void;
}

/** A command for another machine, and the button that copies it. */
export function CopyLine({ text, shown = text, onCopied }: Props) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setCopied(true);
    onCopied?.();
  };
  const words = isCopied ? t('common.copied') : t('common.copy');
  return (
    <Group gap="xs" wrap="nowrap" dir="ltr" mt={4}>
      <Code className={classes.line}>{shown}</Code>
      <Button variant="default" size="xs" flex="none" aria-label={`${words}: ${shown}`} onClick={copy}>
        {words}
      </Button>
    </Group>
  );
}
