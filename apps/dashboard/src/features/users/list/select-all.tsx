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
}

/** Selects the whole list where its first page is all of it. A longer list, of which few rows are here, is changed by "Change all". */
export function SelectAll({ queryKey, selected, onSelect }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const page = useSyncExternalStore(
    (onChange) => client.getQueryCache().subscribe(onChange),
    () => client.getQueryData<RowsPage<UserRow>>([...queryKey, 'page', 0]),
  );
  if (!page || page.rows.length < page.total) return <span className={classes.hidden}>{t('bulk.select')}</span>;
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
