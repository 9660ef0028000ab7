import { AppShell, Burger, Group, NavLink } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '../../api/queries';
import { ErrorBoundary } from '../../ui/feedback/error-panel';
import { lazyWhenIdle } from '../../ui/later';
import { Logo } from '../../ui/logo';
import { Keys } from '../../ui/shortcuts/keys';
import { useShortcutListener, useShortcuts } from '../../ui/shortcuts/shortcuts';
import { PAGES } from '../navigation';
import { PaletteButton } from '../palette/palette-button';
import classes from './shell.module.css';

const LiveChanges = lazyWhenIdle(async () => (await import('../live-changes')).LiveChanges);
const LiveIndicator = lazyWhenIdle(async () => (await import('./live-indicator')).LiveIndicator);
const Preferences = lazyWhenIdle(async () => (await import('./preferences')).Preferences);
const AccountMenu = lazyWhenIdle(async () => (await import('./account-menu')).AccountMenu);
const Palette = lazy(async () => ({ default: (await import('../palette/palette')).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./key-help')).KeyHelp }));

/** What stands around every page: the menu, the search over everything, the preferences and the account. */
export function Shell() {
  const { t } = useTranslation();
  const [isMenuOpen, menu] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const { data: self } = useQuery(selfQuery);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const pages = PAGES.filter(({ isSudoOnly }) => !isSudoOnly || self?.is_sudo);
  const current = pages.findLast(({ to }) => pathname === to || (to !== '/' && pathname.startsWith(`${to}/`)));
  useShortcutListener();
  useShortcuts([
    { keys: 'mod+k', label: t('shell.palette'), run: palette.open },
    { keys: '?', label: t('shell.keys'), run: help.open },
    ...pages.map(({ to, text, letter }) => ({ keys: `g ${letter}`, label: t(text), run: () => void navigate({ to }) })),
  ]);
  useEffect(() => menu.close(), [pathname]);
  useEffect(() => {
    document.title = current ? `${t(current.text)} · Rampart` : 'Rampart';
  }, [current, t]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={0}
    >
      <AppShell.Header className={classes.header}>
        <a href="#page" className={classes.skip}>
          {t('shell.skip')}
        </a>
        <Group gap="xs" wrap="nowrap">
          <Burger opened={isMenuOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={t('shell.menu')} />
          <Logo />
          <strong className={classes.name}>Rampart</strong>
        </Group>
        <PaletteButton onClick={palette.open} />
        <Group gap={4} wrap="nowrap">
          <ErrorBoundary resetKey={self} fallback={null}>
            <Suspense fallback={<span className={classes.tools} />}>
              <LiveIndicator />
              <Preferences />
              <AccountMenu onKeys={help.open} />
            </Suspense>
          </ErrorBoundary>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label={t('shell.menu')}>
        <div className={classes.pages}>
          {pages
            .filter(({ to }) => to !== '/account')
            .map(({ to, text, letter, icon: Icon }) => (
              <NavLink
                key={to}
                label={t(text)}
                leftSection={<Icon size={18} />}
                rightSection={
                  <span className={classes.keys}>
                    <Keys keys={`g ${letter}`} />
                  </span>
                }
                active={current?.to === to}
                aria-current={current?.to === to ? 'page' : undefined}
                className={classes.link}
                renderRoot={(props) => <Link {...props} to={to} />}
              />
            ))}
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        <ErrorBoundary resetKey={pathname}>
          <Outlet />
        </ErrorBoundary>
      </AppShell.Main>
      <ErrorBoundary resetKey={isPaletteOpen || isHelpOpen} fallback={null}>
        <Suspense>
          <LiveChanges />
          {isPaletteOpen && <Palette onClose={palette.close} />}
          {isHelpOpen && <KeyHelp onClose={help.close} />}
        </Suspense>
      </ErrorBoundary>
    </AppShell>
  );
}
