import { useTranslation } from 'react-i18next';
import type { Selection } from './use-selection';
import type { UserRow } from './user-row';
import classes from './users-table.module.css';

interface Props {
  user: UserRow;
  isSelected: boolean;
  onPick: Selection['pick'];
}

/** Selects a user; with Shift, by mouse or by the space bar, all from the last one to this one. */
export function SelectRow({ user, isSelected, onPick }: Props) {
  const { t } = useTranslation();
  return (
    <input
      type="checkbox"
      className={classes.select}
      checked={isSelected}
      aria-label={`${t('bulk.select')}: ${user.username}`}
      onChange={({ currentTarget, nativeEvent }) => {
        const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
        // A browser marks the text between two clicks with Shift.
        if (isRange) getSelection()?.removeAllRanges();
        onPick(user, currentTarget.checked, isRange);
      }}
    />
  );
}
