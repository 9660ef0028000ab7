import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '../../ui/feedback/error-panel';
import { QueryView } from '../../ui/list/query-view';
import { Page } from '../../ui/page';
import { ApplicationsPanel } from './applications/applications-panel';
import { CredentialsForm } from './credentials-form';
import { DashboardNotes } from './dashboard-notes';
import { ProbesForm } from './probes-form';
import { RulesForm } from './rules/rules-form';
import { probesQuery, settingsQuery } from './settings-queries';
import { SubscriptionForm } from './subscription-form';

const route = getRouteApi('/app/settings');
const TABS = ['subscription', 'rules', 'applications', 'credentials', 'probes', 'dashboard'] as const;

/** The settings that hold for all replicas at once, section by section. */
export function SettingsPage() {
  const { t } = useTranslation();
  const { tab = 'subscription' } = route.useSearch();
  const navigate = route.useNavigate();
  const settings = useQuery(settingsQuery);
  const probes = useQuery(probesQuery);
  return (
    <Page title={t('nav.settings')}>
      <Tabs
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next ?? undefined }, replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`settings.tabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <ErrorBoundary resetKey={tab}>
          <QueryView query={settings}>
            {(stored) => (
              <>
                <Tabs.Panel value="subscription">
                  <SubscriptionForm key={stored.version} stored={stored} />
                </Tabs.Panel>
                <Tabs.Panel value="rules">
                  <RulesForm key={stored.version} stored={stored} />
                </Tabs.Panel>
                <Tabs.Panel value="applications">
                  <ApplicationsPanel stored={stored} />
                </Tabs.Panel>
                <Tabs.Panel value="credentials">
                  <CredentialsForm key={stored.version} stored={stored} />
                </Tabs.Panel>
              </>
            )}
          </QueryView>
          <Tabs.Panel value="probes">
            <QueryView query={probes}>{(stored) => <ProbesForm key={stored.version} stored={stored} />}</QueryView>
          </Tabs.Panel>
          <Tabs.Panel value="dashboard">
            <DashboardNotes />
          </Tabs.Panel>
        </ErrorBoundary>
      </Tabs>
    </Page>
  );
}
