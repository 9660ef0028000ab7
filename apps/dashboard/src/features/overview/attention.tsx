import { Stack, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { Notice } from '../../ui/feedback/notice';
import { QueryView } from '../../ui/list/query-view';

const MINUTE_MS = 60_000;

const doctorQuery = queryOptions({
  queryKey: ['doctor'],
  queryFn: ({ signal }) => dataOf(api.GET('/api/doctor', { signal })),
  refetchInterval: MINUTE_MS,
});

/** What the checks of the whole installation have found, with what to do about it. */
export function Attention() {
  const { t } = useTranslation();
  const doctor = useQuery(doctorQuery);
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t('overview.checks')}
      </Title>
      <QueryView query={doctor}>
        {({ checks }) => {
          const open = checks.filter(({ state }) => state !== 'ok');
          if (open.length === 0) return <Notice tone="good" title={t('overview.fine')} />;
          return (
            <Stack gap="sm">
              {open.map((check) => (
                <Notice
                  key={check.name}
                  tone={check.state === 'wrong' ? 'bad' : 'warning'}
                  title={<bdi>{check.name}</bdi>}
                >
                  <div dir="ltr">{check.seen}</div>
                  {check.advice && <div dir="ltr">{check.advice}</div>}
                </Notice>
              ))}
            </Stack>
          );
        }}
      </QueryView>
    </section>
  );
}
