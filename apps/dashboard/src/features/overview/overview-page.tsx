import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { selfQuery, systemQuery } from '../../api/queries';
import { ErrorBoundary, ErrorPanel } from '../../ui/feedback/error-panel';
import { useFormat } from '../../ui/i18n/format';
import { Figure } from '../../ui/list/figure';
import { Page } from '../../ui/page';
import { Attention } from './attention';
import { AttentionList } from './attention-list';
import { SpeedNow } from './speed-now';
import { Traffic } from './traffic';

/** The installation at a glance. */
export function OverviewPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: self } = useQuery(selfQuery);
  const { data: system, error, refetch } = useQuery(systemQuery);
  if (error && !system) return <ErrorPanel error={error} retry={() => void refetch()} />;
  return (
    <Page title={t('nav.overview')} note={system && <bdi>Rampart {system.version}</bdi>}>
      <SimpleGrid cols={{ base: 2, md: self?.is_sudo ? 3 : 4, xl: self?.is_sudo ? 6 : 4 }} spacing="md">
        <Figure name={t('overview.users')} value={system && format.number(system.total_user)} />
        <Figure name={t('overview.online')} value={system && format.number(system.online_users)} />
        {self?.is_sudo && <SpeedNow />}
        <Figure name={t('overview.received')} value={system && format.bytes(system.outgoing_bandwidth)} />
        <Figure name={t('overview.sent')} value={system && format.bytes(system.incoming_bandwidth)} />
      </SimpleGrid>
      <ErrorBoundary>
        <Traffic />
      </ErrorBoundary>
      <ErrorBoundary>{self?.is_sudo && <AttentionList />}</ErrorBoundary>
      {self?.is_sudo && <Attention />}
    </Page>
  );
}
