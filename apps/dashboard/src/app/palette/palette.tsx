import { Combobox, Group, Text, useCombobox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog/dialog';
import { IconSearch } from '../../ui/icons';
import { Keys } from '../../ui/shortcuts/keys';
import classes from './palette.module.css';
import { usePaletteItems } from './palette-items';

/** A search over pages, users, nodes and everything that can be done here. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const combobox = useCombobox();
  const items = usePaletteItems(text);
  const run = (id: string) => {
    onClose();
    items.find((item) => item.id === id)?.run();
  };
  return (
    <Dialog
      onClose={onClose}
      closeOnClickOutside
      withCloseButton={false}
      padding={0}
      yOffset="10vh"
      centered={false}
      size={560}
      aria-label={t('shell.palette')}
    >
      <Combobox store={combobox} onOptionSubmit={run}>
        <Combobox.EventsTarget>
          <Combobox.Search
            value={text}
            data-autofocus
            leftSection={<IconSearch size={16} />}
            placeholder={t('shell.paletteHint')}
            aria-label={t('shell.palette')}
            classNames={{ input: classes.input }}
            onChange={(event) => {
              setText(event.currentTarget.value);
              combobox.updateSelectedOptionIndex();
            }}
          />
        </Combobox.EventsTarget>
        <Combobox.Options className={classes.options} aria-label={t('shell.palette')}>
          {items.map(({ id, icon: Icon, label, note, keys }) => (
            <Combobox.Option key={id} value={id}>
              <Group justify="space-between" wrap="nowrap" gap="sm">
                <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
                  <Icon size={16} />
                  <Text size="sm" truncate>
                    <bdi>{label}</bdi>
                  </Text>
                </Group>
                {keys ? (
                  <Keys keys={keys} />
                ) : (
                  <Text size="xs" c="var(--quiet)">
                    {note}
                  </Text>
                )}
              </Group>
            </Combobox.Option>
          ))}
          {items.length === 0 && <Combobox.Empty>{t('shell.nothingFound')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Dialog>
  );
}
