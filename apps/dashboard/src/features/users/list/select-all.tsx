import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowsPage } from '../../../ui/list/use-window';
import type { SelectedUsers } from '../bulk/one-by-one';
import type { UserRow } from './user-row';
import classes from './users-table.module.css';

interface Props {
  queryKey: readonly unknown[];
  selected: SelectedUsers;
  onSelect: (users: readonly UserRow[], isSelected: boolean) => void;
  onChangeAll: () => void;
}

/** Selects the whole list where its first page is all of it. Of a longer list few rows are here: a button opens "Change all" for it. */
export function SelectAll({ queryKey, selected, onSelect, onChangeAll }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const page = useSyncExternalStore(
    (onChange) => client.getQueryCache().subscribe(onChange),
    () => client.getQueryData<RowsPage<UserRow>>([...queryKey, 'page', 0]),
  );
  if (!page) return <span className={classes.hidden}>{t('bulk.select')}</span>;
  if (page.rows.length < page.total) {
    const words = t('bulk.all', { count: page.total });
    return (
      <button type="button" className={classes.all} aria-label={words} title={words} onClick={onChangeAll}>
        …
      </button>
    );
  }
  return (
    <input
      type="checkbox"
      className={classes.select}
      checked={page.rows.every(({ id }) => selected.has(id))}
      aria-label={t('bulk.selectAll')}
      onChange={(event) => onSelect(page.rows, event.currentTarget.checked)}
    />
  );
}
