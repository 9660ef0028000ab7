import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../ui/share/copy';

interface Props {
  /** The lines, the first of which is the enrolment. */
  lines: string;
  /** A command that writes them where they belong. */
  command?: string;
  onCopied: () => void;
}

/** The value that holds the secrets of a node, to be copied as it is or within a command. */
export function EnrolmentValue({ lines, command, onCopied }: Props) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState<string>();
  const button = (text: string, label: string) => (
    <Button
      variant="default"
      size="xs"
      onClick={async () => {
        if (!(await copyText(text))) return;
        setCopied(text);
        onCopied();
      }}
    >
      {copied === text ? t('common.copied') : label}
    </Button>
  );
  return (
    <Stack gap="xs" my={6}>
      <Textarea
        value={lines}
        readOnly
        rows={4}
        dir="ltr"
        aria-label={t('nodes.enrolmentTitle')}
        onFocus={(event) => event.target.select()}
        onCopy={onCopied}
      />
      <Group gap="xs">
        {button(lines, t('nodes.copyValue'))}
        {command && button(command, t('nodes.copyCommand'))}
      </Group>
    </Stack>
  );
}
