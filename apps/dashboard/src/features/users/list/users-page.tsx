import { Box, Button, Group } from '@mantine/core';
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../ui/feedback/empty-state';
import { ErrorBoundary } from '../../../ui/feedback/error-panel';
import { useFormat } from '../../../ui/i18n/format';
import { IconPlus } from '../../../ui/icons';
import { Later, lazyWhenIdle } from '../../../ui/later';
import { Page } from '../../../ui/page';
import { useShortcuts } from '../../../ui/shortcuts/shortcuts';
import type { BulkScope } from '../bulk/bulk-call';
import type { UserSearch } from '../user-search';
import { StatusFilter } from './status-filter';
import { useDrawerAhead } from './use-drawer-ahead';
import { useSelection } from './use-selection';
import { UsersTable } from './users-table';

const CreateUser = lazy(async () => ({ default: (await import('../form/create-user')).CreateUser }));
const BulkDialog = lazy(async () => ({ default: (await import('../bulk/bulk-dialog')).BulkDialog }));
const SelectionBar = lazy(async () => ({ default: (await import('../bulk/selection-bar')).SelectionBar }));
// The rows come first: what completes a filter is as big as the list.
const UserFilter = lazyWhenIdle(async () => (await import('./user-filter')).UserFilter);
const ViewsMenu = lazyWhenIdle(async () => (await import('./views-menu')).ViewsMenu);
const route = getRouteApi('/app/users');
const NO_FILTERS = {
  q: undefined,
  status: undefined,
  group: undefined,
  admin: undefined,
  sort: undefined,
  at: undefined,
};

/** All users in one scroller, with their filters in the address. */
export function UsersPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const search = route.useSearch();
  // Relative to the address as it is, which may be that of a user.
  const navigate = useNavigate();
  const [total, setTotal] = useState<number>();
  useDrawerAhead(total !== undefined);
  const selection = useSelection(search);
  const { selected, clear } = selection;
  const [changes, setChanges] = useState<BulkScope['changes']>();
  const onSearch = useCallback(
    (next: Partial<UserSearch>) =>
      void navigate({ to: '.', search: (now: UserSearch) => ({ ...now, ...next }), replace: true }),
    [navigate],
  );
  const changeAll = useCallback(() => setChanges('all'), []);
  const create = () => onSearch({ create: true });
  useShortcuts([{ keys: 'n', label: t('users.create'), run: create }]);
  const isFiltered = Boolean(search.q || search.status || search.group || search.admin);
  return (
    <Page
      isFull
      title={t('nav.users')}
      note={total === undefined ? undefined : format.number(total)}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create}>
          {t('users.create')}
        </Button>
      }
    >
      <Group gap="sm">
        <Later fallback={<Box h={36} flex="1 1 280px" maw={520} />}>
          <UserFilter search={search} onChange={onSearch} />
        </Later>
        <Later
          fallback={
            <Button variant="default" disabled>
              {t('views.title')}
            </Button>
          }
        >
          <ViewsMenu search={search} onChoose={(view) => onSearch({ ...NO_FILTERS, ...view })} />
        </Later>
        <Button variant="default" disabled={!total} onClick={changeAll}>
          {t('bulk.changeAll')}
        </Button>
        <StatusFilter status={search.status} onChange={(status) => onSearch({ status, at: undefined })} />
      </Group>
      <Suspense>
        {selected.size > 0 && (
          <SelectionBar selected={selected} onClear={clear} onChange={() => setChanges('selected')} />
        )}
      </Suspense>
      <UsersTable
        search={search}
        onSearch={onSearch}
        onTotal={setTotal}
        selection={selection}
        onChangeAll={changeAll}
        empty={
          isFiltered ? (
            <EmptyState title={t('users.noneFoundTitle')} text={t('users.noneFoundText')}>
              <Button variant="default" onClick={() => onSearch({ ...NO_FILTERS, sort: search.sort })}>
                {t('users.clearFilters')}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState title={t('users.emptyTitle')} text={t('users.emptyText')}>
              <Button onClick={create}>{t('users.create')}</Button>
            </EmptyState>
          )
        }
      />
      <Suspense>
        {search.create && (
          <CreateUser
            templateId={search.template}
            onClose={() => onSearch({ create: undefined, template: undefined })}
          />
        )}
        {changes === 'all' && (
          <BulkDialog
            scope={{ changes, filter: search }}
            count={total ?? 0}
            onClose={() => setChanges(undefined)}
            onDone={clear}
          />
        )}
        {changes === 'selected' && selected.size > 0 && (
          <BulkDialog
            scope={{ changes, users: [...selected.keys()], names: [...selected.values()] }}
            count={selected.size}
            onClose={() => setChanges(undefined)}
            onDone={clear}
          />
        )}
      </Suspense>
      <ErrorBoundary>
        <Outlet />
      </ErrorBoundary>
    </Page>
  );
}
