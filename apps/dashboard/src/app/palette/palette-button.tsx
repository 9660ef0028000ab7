import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { IconSearch } from '../../ui/icons';
import { Keys } from '../../ui/shortcuts/keys';
import classes from './palette.module.css';

/** The button that opens the palette and shows its key. */
export function PaletteButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <UnstyledButton className={classes.button} onClick={onClick}>
      <IconSearch size={16} />
      <span className={classes.words}>{t('shell.paletteHint')}</span>
      <span className={classes.keys}>
        <Keys keys="mod+k" />
      </span>
    </UnstyledButton>
  );
}
