import { ActionIcon, Group } from '@mantine/core';
import type { IconEdit } from '../icons';

export interface RowAction {
  label: string;
  icon: typeof IconEdit;
  /** undefined: it cannot be done with this row. */
  run: (() => void) | undefined;
}

/** What can be done with a row, as icons; `name` is the name of the row, for those who cannot see where they stand. */
export function RowActions({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  return (
    <Group gap={2} wrap="nowrap">
      {actions.map(({ label, icon: Icon, run }) => (
        // A title, because a tooltip of its own for each icon costs a table of some dozens of rows a second on a slow processor.
        <ActionIcon
          key={label}
          variant="subtle"
          color="gray"
          title={label}
          aria-label={`${label}: ${name}`}
          disabled={!run}
          onClick={run}
        >
          <Icon size={16} />
        </ActionIcon>
      ))}
    </Group>
  );
}
