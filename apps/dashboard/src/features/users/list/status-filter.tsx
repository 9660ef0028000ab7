import { Group, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { systemQuery } from '../../../api/queries';
import { useFormat } from '../../../ui/i18n/format';
import { STATUSES, type Status } from '../user-search';
import classes from './status-filter.module.css';

/** A button for each state, with the number of users in it; several can be on. */
export function StatusFilter({
  status,
  onChange,
}: {
  status: string | undefined;
  onChange: (status: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: system } = useQuery(systemQuery);
  const chosen = status ? status.split(',') : [];
  const toggle = (one: Status) =>
    onChange(
      (chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]).join(',') || undefined,
    );
  return (
    <Group gap={6} role="group" aria-label={t('users.statusLabel')}>
      {STATUSES.map((one) => (
        <UnstyledButton
          key={one}
          className={classes.chip}
          aria-pressed={chosen.includes(one)}
          onClick={() => toggle(one)}
        >
          {t(`users.status.${one}`)}
          {system && <span className={classes.count}>{format.number(system[`${one}_users`])}</span>}
        </UnstyledButton>
      ))}
    </Group>
  );
}
