import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/feedback/empty-state';
import { ErrorPanel } from '../../ui/feedback/error-panel';
import { Page } from '../../ui/page';
import { AuditFilter, type AuditFilterValues } from './audit-filter';
import { loadAudit } from './audit-log';
import { targetsOf } from './audit-objects';
import { AuditTable } from './audit-table';
import { useNamedObjects } from './use-named-objects';

const TYPING_MS = 300;
const EVERYTHING: AuditFilterValues = { text: '', action: null, actor: null };

/** Who changed what: every change with what it was before and after. */
export function AuditPage() {
  const { t } = useTranslation();
  const objects = useNamedObjects();
  const [filter, setFilter] = useState(EVERYTHING);
  const [text] = useDebouncedValue(filter.text.trim(), TYPING_MS);
  const search = { ...filter, text, targets: targetsOf(text, objects) };
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', 'log', search],
    queryFn: ({ pageParam, signal }) => loadAudit(search, pageParam, signal),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    // What is open stays open while somebody types.
    placeholderData: keepPreviousData,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Page title={t('nav.audit')}>
      <AuditFilter values={filter} onChange={setFilter} />
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {data && entries.length === 0 && <EmptyState title={t('users.noneFoundTitle')} text={t('audit.empty')} />}
      {entries.length > 0 && <AuditTable entries={entries} objects={objects} />}
      {hasNextPage && (
        <Button
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
          style={{ alignSelf: 'center' }}
        >
          {t('audit.more')}
        </Button>
      )}
    </Page>
  );
}
