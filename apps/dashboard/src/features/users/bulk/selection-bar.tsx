import { Button, Group, Progress, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type OneByOne, type SelectedUsers, useOneByOne } from './one-by-one';
import classes from './selection-bar.module.css';

interface Props {
  selected: SelectedUsers;
  onClear: () => void;
  onChange: () => void;
}

const ACTIONS: readonly OneByOne[] = ['enable', 'disable', 'delete'];

/** What can be done with the selected users. */
export function SelectionBar({ selected, onClear, onChange }: Props) {
  const { t } = useTranslation();
  const { done, ask } = useOneByOne(selected, onClear);
  return (
    <section className={classes.bar} aria-label={t('bulk.selected', { count: selected.size })}>
      <Text size="sm" fw={600}>
        {t('bulk.selected', { count: selected.size })}
      </Text>
      {done !== undefined ? (
        <Progress
          flex={1}
          value={(100 * done) / Math.max(selected.size, 1)}
          aria-label={t('bulk.selected', { count: selected.size })}
        />
      ) : (
        <Group gap="xs">
          <Button size="compact-sm" onClick={onChange}>
            {t('bulk.change')}
          </Button>
          {ACTIONS.map((action) => (
            <Button key={action} size="compact-sm" variant="default" onClick={() => ask(action)}>
              {t(`common.${action}`)}
            </Button>
          ))}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
            {t('bulk.clear')}
          </Button>
        </Group>
      )}
    </section>
  );
}
