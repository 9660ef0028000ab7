import { Button, FileInput, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { smallPicture } from './small-picture';

interface Props {
  value?: string;
  onChange: (value: string) => void;
  error?: ReactNode;
}

/** The picture beside the title on the page that users see. */
export function LogoField({ value = '', onChange, error }: Props) {
  const { t } = useTranslation();
  const [isRefused, setRefused] = useState(false);
  const choose = async (file: File | null) => {
    if (!file) return;
    const url = await smallPicture(file).catch(() => undefined);
    setRefused(url === undefined);
    if (url !== undefined) onChange(url);
  };
  return (
    <div>
      <FileInput
        label={t('settings.logo')}
        description={t('settings.logoHint')}
        accept="image/png,image/jpeg,image/webp,image/gif,image/svg+xml"
        value={null}
        onChange={(file) => void choose(file)}
        error={isRefused ? t('settings.logoTooLarge') : error}
      />
      {value !== '' && (
        <Group mt="xs">
          <img src={value} alt={t('settings.logo')} width={44} height={44} />
          <Button variant="default" size="xs" onClick={() => onChange('')}>
            {t('settings.logoRemove')}
          </Button>
        </Group>
      )}
    </div>
  );
}
