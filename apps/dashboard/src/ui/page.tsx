import './page-styles.css';
import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './page.module.css';

interface Props {
  title: string;
  /** What stands beside the title, such as a count. */
  note?: ReactNode;
  /** The buttons of the page. */
  actions?: ReactNode;
  /** Whether the page is as high as the window, so that only its list scrolls. */
  isFull?: boolean;
  children: ReactNode;
}

/** A page with its heading. */
export function Page({ title, note, actions, isFull = false, children }: Props) {
  return (
    <div className={classes.page} data-full={isFull || undefined}>
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap" className={classes.header}>
        <Group gap="sm" align="baseline" className={classes.title}>
          <Title order={1} size="h3">
            {title}
          </Title>
          {note !== undefined && <span className={classes.note}>{note}</span>}
        </Group>
        <Group gap="xs" wrap="nowrap">
          {actions}
        </Group>
      </Group>
      {children}
    </div>
  );
}
