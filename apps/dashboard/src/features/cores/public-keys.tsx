import { Stack, TextInput, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/share/copy-button';
import { publicKeysIn } from './reality';

/** The public keys that belong to the private keys of REALITY in a text, to be copied. They are found in this browser. */
export function PublicKeys({ text }: { text: string }) {
  const { t } = useTranslation();
  const keys = useMemo(() => publicKeysIn(text), [text]);
  if (keys.length === 0) return null;
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h4">
        {t('cores.publicKeys')}
      </Title>
      {keys.map(({ tag, publicKey }, place) => (
        <TextInput
          key={`${place} ${tag}`}
          label={<bdi>{tag || '–'}</bdi>}
          value={publicKey}
          readOnly
          dir="ltr"
          onFocus={(event) => event.target.select()}
          rightSection={<CopyButton text={publicKey} name={`${t('common.copy')}: ${tag}`} />}
        />
      ))}
    </Stack>
  );
}
