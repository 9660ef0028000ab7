import { Button } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '../api/queries';
import { wasLoggedIn } from '../api/session-state';
import { firstUsersQuery } from '../features/users/list/user-list';
import { parseUserSearch } from '../features/users/user-search';
import { EmptyState } from '../ui/feedback/empty-state';
import { queryClient } from '../ui/feedback/query-client';
import { withTexts } from '../ui/i18n/i18n';
import { Shell } from './shell/shell';

/** Stands where the address names no page. */
function NotFound() {
  const { t } = useTranslation();
  return (
    <EmptyState title={t('shell.notFoundTitle')} text={t('shell.notFoundText')}>
      <Button renderRoot={(props) => <Link {...props} to="/" />}>{t('shell.home')}</Button>
    </EmptyState>
  );
}

const root = createRootRoute();
const app = createRoute({ getParentRoute: () => root, id: 'app', component: Shell, notFoundComponent: NotFound });
const page = <Path extends string>(path: Path) => ({ getParentRoute: () => app, path });

const overview = createRoute({
  ...page('/'),
  component: lazyRouteComponent(() => import('../features/overview/overview-page'), 'OverviewPage'),
});

/** Asks for what the list of users shows first, for those who are logged in. */
async function prefetch(rows: ReturnType<typeof firstUsersQuery>): Promise<void> {
  const self = queryClient.ensureQueryData(selfQuery);
  if (!wasLoggedIn()) await self;
  await Promise.all([self, queryClient.prefetchQuery(rows)]);
}

const users = createRoute({
  ...page('/users'),
  validateSearch: parseUserSearch,
  // The rows come while the parts that show them are loaded. What fails here is tried again, and told, where it is shown.
  loader: ({ cause, location }) => {
    if (cause === 'enter') void prefetch(firstUsersQuery(parseUserSearch(location.search))).catch(() => undefined);
  },
  component: lazyRouteComponent(() => import('../features/users/list/users-page'), 'UsersPage'),
});

const user = createRoute({
  getParentRoute: () => users,
  path: '$username',
  validateSearch: (search: Record<string, unknown>): { tab?: string; edit?: boolean } => ({
    ...(typeof search['tab'] === 'string' && { tab: search['tab'] }),
    ...(search['edit'] === true && { edit: true }),
  }),
  component: lazyRouteComponent(() => import('../features/users/drawer/user-drawer'), 'UserDrawer'),
});

const templates = createRoute({
  ...page('/templates'),
  component: lazyRouteComponent(() => import('../features/templates/templates-page'), 'TemplatesPage'),
});

const nodes = createRoute({
  ...page('/nodes'),
  component: lazyRouteComponent(() => import('../features/nodes/nodes-page'), 'NodesPage'),
});

const hosts = createRoute({
  ...page('/hosts'),
  component: lazyRouteComponent(() => import('../features/hosts/hosts-page'), 'HostsPage'),
});

const groups = createRoute({
  ...page('/groups'),
  component: lazyRouteComponent(() => import('../features/groups/groups-page'), 'GroupsPage'),
});

const audit = createRoute({
  ...page('/audit'),
  component: lazyRouteComponent(() => withTexts('audit', import('../features/audit/audit-page')), 'AuditPage'),
});

const cores = createRoute({
  ...page('/cores'),
  component: lazyRouteComponent(() => import('../features/cores/cores-page'), 'CoresPage'),
});

const core = createRoute({
  ...page('/cores/$id'),
  component: lazyRouteComponent(() => import('../features/cores/core-page'), 'CorePage'),
});

const admins = createRoute({
  ...page('/admins'),
  component: lazyRouteComponent(() => withTexts('admins', import('../features/admins/admins-page')), 'AdminsPage'),
});

const settings = createRoute({
  ...page('/settings'),
  validateSearch: (search: Record<string, unknown>): { tab?: string | undefined } =>
    typeof search['tab'] === 'string' ? { tab: search['tab'] } : {},
  component: lazyRouteComponent(
    () => withTexts('settings', import('../features/settings/settings-page')),
    'SettingsPage',
  ),
});

const account = createRoute({
  ...page('/account'),
  component: lazyRouteComponent(
    () => withTexts('admins', import('../features/admins/account/account-page')),
    'AccountPage',
  ),
});

const index = createRoute({
  ...page('/index.html'),
  beforeLoad: () => {
    throw redirect({ to: '/' });
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    app.addChildren([
      overview,
      users.addChildren([user]),
      templates,
      nodes,
      hosts,
      groups,
      cores,
      core,
      audit,
      admins,
      settings,
      account,
      index,
    ]),
  ]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFound,
  // Errors are contained by the boundaries of the pages.
  disableGlobalCatchBoundary: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
