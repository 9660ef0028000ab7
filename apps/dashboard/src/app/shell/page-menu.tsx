import { NavLink } from '@mantine/core';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '../../ui/feedback/error-panel';
import { Keys } from '../../ui/shortcuts/keys';
import type { PAGES } from '../navigation';
import classes from './shell.module.css';

/** The links to the pages. They are drawn again when another page is shown, and not when something is opened on a page. */
export function PageMenu({ pages }: { pages: readonly (typeof PAGES)[number][] }) {
  const { t } = useTranslation();
  const current = useLocation({
    select: ({ pathname }) =>
      pages.findLast(({ to }) => pathname === to || (to !== '/' && pathname.startsWith(`${to}/`))),
  });
  useEffect(() => {
    document.title = current ? `${t(current.text)} · Rampart` : 'Rampart';
  }, [current, t]);
  return (
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
  );
}

/** The page that the address names. An error of it is forgotten with the next address. */
export function CurrentPage() {
  const { pathname } = useLocation();
  return (
    <ErrorBoundary resetKey={pathname}>
      <Outlet />
    </ErrorBoundary>
  );
}
