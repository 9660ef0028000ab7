import { Button, Code, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { EmptyState } from '../../ui/feedback/empty-state';
import { ErrorPanel } from '../../ui/feedback/error-panel';
import { useFormat } from '../../ui/i18n/format';
import { IconSearch } from '../../ui/icons';
import { SimpleTable } from '../../ui/list/simple-table';
import { Page } from '../../ui/page';

const PAGE_ROWS = 50;
const TYPING_MS = 300;

/** Who changed what: every change with what it was before and after. */
export function AuditPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const [text, setText] = useState('');
  const [target] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', target],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/api/audit', {
          params: {
            query: { limit: PAGE_ROWS, ...(target && { target }), ...(pageParam !== null && { before: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Page title={t('nav.audit')}>
      <TextInput
        maw={420}
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        aria-label={t('audit.filter')}
        placeholder={t('audit.filter')}
        dir="ltr"
      />
      {error && !data && <ErrorPanel error={error} retry={() => void refetch()} />}
      {data && entries.length === 0 && <EmptyState title={t('users.noneFoundTitle')} text={t('audit.empty')} />}
      {entries.length > 0 && (
        <SimpleTable
          label={t('nav.audit')}
          rows={entries}
          rowKey={({ id }) => id}
          columns={[
            {
              id: 'at',
              header: t('audit.at'),
              cell: ({ at }) => <span title={format.moment(at)}>{format.relative(at)}</span>,
            },
            { id: 'actor', header: t('audit.actor'), cell: ({ actor }) => <bdi>{actor}</bdi> },
            {
              id: 'action',
              header: t('audit.action'),
              cell: ({ action, target: object }) => (
                <>
                  <strong>
                    <bdi>{action}</bdi>
                  </strong>
                  <div>
                    <bdi>{object}</bdi>
                  </div>
                </>
              ),
            },
            {
              id: 'address',
              header: t('audit.address'),
              isWide: true,
              cell: ({ address }) => <bdi>{address ?? '–'}</bdi>,
            },
            {
              id: 'difference',
              header: t('audit.difference'),
              isWide: true,
              cell: ({ difference }) => (
                <details>
                  <summary>{t('audit.show')}</summary>
                  <Code block dir="ltr" mah={300} style={{ overflow: 'auto' }}>
                    {JSON.stringify(difference, null, 2)}
                  </Code>
                </details>
              ),
            },
          ]}
        />
      )}
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
