import { Combobox, Group, Text, useCombobox } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog/dialog';
import { IconSearch } from '../../ui/icons';
import { Keys } from '../../ui/shortcuts/keys';
import classes from './palette.module.css';
import { chosenPlace, itemBeside } from './palette-choice';
import { usePaletteItems } from './palette-items';

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** The keyCode of keys that an input method takes, which Safari sends after the end of a composition. */
const OF_INPUT_METHOD = 229;

/**
 * A search over pages, users, nodes and everything that can be done here. Enter runs the first that is found for the whole text,
 * also where the answer comes after the key.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [goneTo, setGoneTo] = useState<string>();
  const combobox = useCombobox();
  const [isEntered, setEntered] = useState(false);
  const { items, areComplete } = usePaletteItems(text);
  const chosen = chosenPlace(items, goneTo);
  const listId = useId();
  const optionId = (place: number) => `${listId}-${place}`;
  useEffect(() => {
    document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, chosen]);
  const run = (id: string | undefined) => {
    const item = items.find((one) => one.id === id);
    if (!item) return;
    onClose();
    item.run();
  };
  const runChosen = () => {
    setEntered(false);
    run(items[chosen]?.id);
  };
  useEffect(() => {
    if (isEntered && areComplete) runChosen();
  });
  // The keys of the combobox itself choose nothing by themselves, and keep Escape from the dialog once an arrow was pressed.
  const onKeyDown = (event: KeyboardEvent) => {
    // This Enter ends the writing of a word, in Chinese for example.
    if (event.nativeEvent.isComposing || event.keyCode === OF_INPUT_METHOD) return;
    const step = STEPS[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    // The key may still be held that has opened the palette.
    if (event.repeat && step === undefined) return;
    if (step !== undefined) {
      setEntered(false);
      setGoneTo(itemBeside(items, chosen, step)?.id);
    } else if (goneTo !== undefined || areComplete) runChosen();
    else setEntered(true);
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
        <Combobox.Search
          value={text}
          data-autofocus
          leftSection={<IconSearch size={16} />}
          placeholder={t('shell.paletteHint')}
          aria-label={t('shell.palette')}
          classNames={{ input: classes.input }}
          withKeyboardNavigation={false}
          withAriaAttributes={false}
          role="combobox"
          autoComplete="off"
          aria-autocomplete="list"
          aria-expanded={items.length > 0}
          aria-controls={listId}
          aria-activedescendant={items.length > 0 ? optionId(chosen) : undefined}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setGoneTo(undefined);
            setEntered(false);
          }}
        />
        <Combobox.Options id={listId} className={classes.options} aria-label={t('shell.palette')}>
          {items.map(({ id, icon: Icon, label, note, keys }, place) => (
            <Combobox.Option
              key={id}
              id={optionId(place)}
              value={id}
              selected={place === chosen}
              aria-selected={place === chosen}
            >
              <Group justify="space-between" wrap="nowrap" gap="sm">
                <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
                  <Icon size={16} />
                  <Text size="sm" truncate>
                    <bdi>{label}</bdi>
                  </Text>
                </Group>
                {keys ? <Keys keys={keys} /> : <span className={classes.note}>{note}</span>}
              </Group>
            </Combobox.Option>
          ))}
          {items.length === 0 && <Combobox.Empty>{t('shell.nothingFound')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Dialog>
  );
}
