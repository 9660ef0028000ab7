import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { IconUser } from './icons';

interface Props {
  /** What the button is for; it shows the icon alone. */
  label: string;
  icon: typeof IconUser;
  children: ReactNode;
}

/** A menu behind an icon of the header. */
export function IconMenu({ label, icon: Icon, children }: Props) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label}>
          <Icon size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
