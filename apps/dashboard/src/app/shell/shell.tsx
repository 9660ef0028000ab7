import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '../../api/queries';
import { ErrorBoundary } from '../../ui/feedback/error-panel';
import { lazyWhenIdle } from '../../ui/later';
import { Logo } from '../../ui/logo';
import { useShortcutListener, useShortcuts } from '../../ui/shortcuts/shortcuts';
import { PAGES } from '../navigation';
import { PaletteButton } from '../palette/palette-button';
import { CurrentPage, PageMenu } from './page-menu';
import classes from './shell.module.css';

const LiveChanges = lazyWhenIdle(async () => (await import('../live-changes')).LiveChanges);
const LiveIndicator = lazyWhenIdle(async () => (await import('./live-indicator')).LiveIndicator);
const Preferences = lazyWhenIdle(async () => (await import('./preferences')).Preferences);
const AccountMenu = lazyWhenIdle(async () => (await import('./account-menu')).AccountMenu);
const PasswordNotice = lazyWhenIdle(async () => (await import('./password-notice')).PasswordNotice);
const Palette = lazy(async () => ({ default: (await import('../palette/palette')).Palette }));
const KeyHelp = lazy(async () => ({ default: (await import('./key-help')).KeyHelp }));

/** What stands around every page: the menu, the search over everything, the preferences and the account. */
export function Shell() {
  const { t } = useTranslation();
  const [isMenuOpen, menu] = useDisclosure();
  const [isPaletteOpen, palette] = useDisclosure();
  const [isHelpOpen, help] = useDisclosure();
  const { data: self } = useQuery(selfQuery);
  const router = useRouter();
  const navigate = useNavigate();
  const pages = PAGES.filter(({ isSudoOnly }) => !isSudoOnly || self?.is_sudo);
  useShortcutListener();
  useShortcuts([
    { keys: 'mod+k', label: t('shell.palette'), run: palette.open },
    { keys: '?', label: t('shell.keys'), run: help.open },
    ...pages.map(({ to, text, letter }) => ({ keys: `g ${letter}`, label: t(text), run: () => void navigate({ to }) })),
  ]);
  useEffect(() => router.subscribe('onBeforeNavigate', menu.close), [router, menu.close]);
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
        <PageMenu pages={pages} />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        <ErrorBoundary resetKey={self} fallback={null}>
          <Suspense>
            <PasswordNotice />
          </Suspense>
        </ErrorBoundary>
        <CurrentPage />
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
