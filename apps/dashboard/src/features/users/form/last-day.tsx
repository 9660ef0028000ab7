import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../ui/feedback/notice';
import { useEnd } from '../use-end';
import { dayAfter, lastMoment, type UserValues } from './user-values';

const PERIODS = [7, 30, 90, 365];

/** The last day of a user's time, as a date or in so many days from now. */
export function LastDay({ form }: { form: UseFormReturnType<UserValues> }) {
  const { t } = useTranslation();
  const endOf = useEnd();
  const { expire } = form.getValues();
  const end = expire === '' ? undefined : lastMoment(expire);
  const set = (day: string) => form.setFieldValue('expire', day);
  return (
    <Stack gap={6}>
      <TextInput
        type="date"
        label={t('users.lastDay')}
        description={end ? endOf(end.getTime()).join(' · ') : t('users.never')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        {...form.getInputProps('expire')}
      />
      <Group gap={6}>
        {PERIODS.map((days) => (
          <Button key={days} size="compact-xs" variant="default" onClick={() => set(dayAfter(days, new Date()))}>
            {t('users.inDays', { count: days })}
          </Button>
        ))}
        <Button size="compact-xs" variant="default" onClick={() => set('')}>
          {t('users.never')}
        </Button>
      </Group>
      {end && end.getTime() < Date.now() && (
        <Notice tone="warning" isAlert>
          {t('users.dayOver')}
        </Notice>
      )}
    </Stack>
  );
}
