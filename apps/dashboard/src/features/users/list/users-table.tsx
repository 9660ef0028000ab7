import { UnstyledButton } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '../../../ui/feedback/error-panel';
import { IconArrowDown, IconArrowUp } from '../../../ui/icons';
import type { Column } from '../../../ui/list/table-row';
import { WindowedTable } from '../../../ui/list/windowed-table';
import { UsageBar } from '../usage-bar';
import { nextSort, type SortField, type UserSearch } from '../user-search';
import { UserStatus } from '../user-status';
import { LastOnline } from './last-online';
import { SelectAll } from './select-all';
import { SelectRow } from './select-row';
import type { Selection } from './use-selection';
import { UserEnd } from './user-end';
import { userList } from './user-list';
import { UserMenu } from './user-menu';
import type { UserRow } from './user-row';
import classes from './users-table.module.css';

/** Changes are heard; only traffic and the last use are asked for again. */
const REFRESH_MS = 30_000;

interface Props {
  search: UserSearch;
  onSearch: (next: Partial<UserSearch>) => void;
  onTotal: (total: number) => void;
  selection: Selection;
  onChangeAll: () => void;
  empty: React.ReactNode;
}

/** The list of users. */
export function UsersTable({ search, onSearch, onTotal, selection, onChangeAll, empty }: Props) {
  const { t } = useTranslation();
  const { queryKey, load } = useMemo(
    () => userList(search),
    [search.q, search.status, search.group, search.admin, search.sort],
  );
  const columns = useMemo(
    () => columnsOf(t, search.sort, { queryKey, selection, onSearch, onChangeAll }),
    [t, search.sort, queryKey, selection, onSearch, onChangeAll],
  );
  return (
    <div className={classes.users}>
      <WindowedTable
        key={JSON.stringify(queryKey)}
        label={t('nav.users')}
        columns={columns}
        template="var(--columns)"
        queryKey={queryKey}
        load={load}
        refreshMs={REFRESH_MS}
        startRow={search.at ?? 0}
        onTopRow={useCallback((row: number) => onSearch({ at: row || undefined }), [onSearch])}
        onTotal={onTotal}
        empty={empty}
      />
    </div>
  );
}

function columnsOf(
  t: TFunction,
  sort: UserSearch['sort'],
  {
    queryKey,
    selection,
    onSearch,
    onChangeAll,
  }: Pick<Props, 'selection' | 'onSearch' | 'onChangeAll'> & { queryKey: QueryKey },
): Column<UserRow>[] {
  const { selected, select, pick } = selection;
  const heading = (field: SortField, text: string) => {
    const isDescending = sort === `-${field}`;
    const isSorted = isDescending || sort === field;
    return {
      sorted: isSorted ? (isDescending ? ('descending' as const) : ('ascending' as const)) : ('none' as const),
      header: (
        <UnstyledButton
          className={classes.sort}
          onClick={() => onSearch({ sort: nextSort(field, sort), at: undefined })}
        >
          {text} {isSorted && (isDescending ? <IconArrowDown size={12} /> : <IconArrowUp size={12} />)}
        </UnstyledButton>
      ),
    };
  };
  return [
    {
      id: 'select',
      header: (
        <ErrorBoundary resetKey={selected} fallback="">
          <SelectAll queryKey={queryKey} selected={selected} onSelect={select} onChangeAll={onChangeAll} />
        </ErrorBoundary>
      ),
      cell: (user) => <SelectRow user={user} isSelected={selected.has(user.id)} onPick={pick} />,
    },
    { id: 'name', ...heading('username', t('users.name')), cell: (user) => <UserName user={user} /> },
    { id: 'status', header: t('users.statusLabel'), cell: ({ status }) => <UserStatus status={status} /> },
    {
      id: 'usage',
      ...heading('used_traffic', t('users.used')),
      cell: ({ used_traffic, data_limit }) => <UsageBar used={used_traffic} limit={data_limit} />,
    },
    {
      id: 'expire',
      ...heading('expire', t('users.expires')),
      cell: ({ expire }) => <UserEnd expire={expire} />,
    },
    {
      id: 'online',
      ...heading('online_at', t('users.online')),
      cell: ({ online_at }) => <LastOnline at={online_at} />,
    },
    {
      id: 'menu',
      header: <span className={classes.hidden}>{t('common.actions')}</span>,
      cell: (user) => <UserMenu user={user} />,
    },
  ];
}

function UserName({ user: { username, note } }: { user: UserRow }) {
  return (
    <>
      <Link className={classes.name} to="/users/$username" params={{ username }} search={(now) => now}>
        <bdi>{username}</bdi>
      </Link>
      {note && <div className={classes.note}>{note}</div>}
    </>
  );
}
