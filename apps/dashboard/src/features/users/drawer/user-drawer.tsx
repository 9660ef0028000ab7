import { Group, Loader, Tabs, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../api/api-error';
import { selfQuery, userQuery } from '../../../api/queries';
import { SideDialog } from '../../../ui/dialog/dialog';
import { ErrorBoundary, ErrorPanel } from '../../../ui/feedback/error-panel';
import { withTexts } from '../../../ui/i18n/i18n';
import { Why } from '../diagnosis/why';
import { UserStatus } from '../user-status';
import { UserClients } from './user-clients';
import { UserOverview } from './user-overview';
import { UserUsage } from './user-usage';

const EditUser = lazy(async () => ({ default: (await import('../form/edit-user')).EditUser }));
const UserAudit = lazy(async () => ({ default: (await withTexts('audit', import('./user-audit'))).UserAudit }));
const route = getRouteApi('/app/users/$username');
const TABS = ['overview', 'usage', 'clients', 'why', 'changes'] as const;

/** Everything about one user, beside the list. */
export function UserDrawer() {
  const { t } = useTranslation();
  const { username } = route.useParams();
  const { tab = 'overview', edit } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: user, error, refetch } = useQuery({ ...userQuery(username), refetchInterval: 10_000 });
  const { data: self } = useQuery(selfQuery);
  const close = () => void navigate({ to: '/users', search: ({ tab: _, edit: __, ...now }) => now });
  const set = (next: { tab?: string; edit?: boolean }) =>
    void navigate({ to: '.', search: (now) => ({ ...now, ...next }), replace: true });
  const isGone = error !== null && ApiError.from(error).status === 404;
  return (
    <SideDialog
      onClose={close}
      size={560}
      title={
        <Group gap="sm">
          <Title order={2} size="h4">
            <bdi>{username}</bdi>
          </Title>
          {user && <UserStatus status={user.status} />}
        </Group>
      }
    >
      {error && (!user || isGone) && <ErrorPanel error={error} retry={() => void refetch()} />}
      {!user && !error && <Loader m="xl" aria-label={t('common.loading')} />}
      {user && !isGone && (
        <Tabs value={tab} onChange={(next) => set({ tab: next ?? undefined })} keepMounted={false}>
          <Tabs.List mb="md">
            {TABS.filter((one) => one !== 'changes' || self?.is_sudo).map((one) => (
              <Tabs.Tab key={one} value={one}>
                {t(`users.tabs.${one}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <ErrorBoundary resetKey={tab}>
            <Tabs.Panel value="overview">
              <UserOverview user={user} onEdit={() => set({ edit: true })} onDeleted={close} />
            </Tabs.Panel>
            <Tabs.Panel value="usage">
              <UserUsage username={username} />
            </Tabs.Panel>
            <Tabs.Panel value="clients">
              <UserClients username={username} />
            </Tabs.Panel>
            <Tabs.Panel value="why">
              <Why user={user} onEdit={() => set({ edit: true })} />
            </Tabs.Panel>
            <Tabs.Panel value="changes">
              <Suspense fallback={<Loader aria-label={t('common.loading')} />}>
                <UserAudit username={username} />
              </Suspense>
            </Tabs.Panel>
          </ErrorBoundary>
        </Tabs>
      )}
      <ErrorBoundary>
        <Suspense>{user && edit && <EditUser user={user} onClose={() => set({ edit: undefined })} />}</Suspense>
      </ErrorBoundary>
    </SideDialog>
  );
}
