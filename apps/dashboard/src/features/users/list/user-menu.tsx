import { UnstyledButton } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconDots } from '../../../ui/icons';
import classes from './user-menu.module.css';
import type { UserRow } from './user-row';

const OpenUserMenu = lazy(async () => ({ default: (await import('./open-user-menu')).OpenUserMenu }));

/** The button of the menu of a row. The menu itself is loaded and drawn when it is first opened, because a list has many rows. */
export function UserMenu({ user }: { user: UserRow }) {
  const { t } = useTranslation();
  const [isWanted, setWanted] = useState(false);
  const button = (
    <UnstyledButton
      className={classes.menu}
      aria-label={t('users.actionsOf', { username: user.username })}
      aria-haspopup="menu"
      // The menu comes with a button of its own, which takes over from the one that was pressed.
      autoFocus={isWanted}
      onClick={() => setWanted(true)}
    >
      <IconDots size={16} />
    </UnstyledButton>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenUserMenu user={user}>{button}</OpenUserMenu>
    </Suspense>
  );
}
