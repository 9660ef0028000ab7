import {
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { groupsQuery } from '../../../api/queries';
import { Notice } from '../../../ui/feedback/notice';
import { RESETS } from '../../../ui/form/values';
import { LastDay } from './last-day';
import type { UserValues } from './user-values';

/** The fields of a user's terms. */
export function UserFields({ form, isNew }: { form: UseFormReturnType<UserValues>; isNew: boolean }) {
  const { t } = useTranslation();
  const { data } = useQuery(groupsQuery);
  const { status, group_ids } = form.getValues();
  const states = isNew ? (['active', 'on_hold'] as const) : (['active', 'on_hold', 'disabled'] as const);
  const groups = data?.groups.map(({ id, name, is_disabled }) => ({
    value: `${id}`,
    label: is_disabled ? `${name} · ${t('common.disabled')}` : name,
  }));
  return (
    <Stack gap="md">
      {isNew && (
        <TextInput
          label={t('users.name')}
          placeholder="ali"
          data-autofocus
          required
          autoCapitalize="off"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
      )}
      <MultiSelect
        label={t('users.groups')}
        description={t('users.groupsHint')}
        data={groups ?? []}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('common.clear') }}
        {...form.getInputProps('group_ids')}
      />
      {group_ids.length === 0 && <Notice tone="warning">{t('users.noGroupHint')}</Notice>}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label={t('users.limit')}
          placeholder={t('users.unlimited')}
          description={t('users.limitHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          suffix=" GB"
          min={0}
          decimalScale={3}
          {...form.getInputProps('data_limit')}
        />
        <Select
          label={t('users.resetEvery')}
          data={RESETS.map((value) => ({ value, label: t(`users.resets.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('data_limit_reset_strategy')}
        />
      </SimpleGrid>
      <div>
        <Text component="div" size="sm" fw={500} mb={4}>
          {t('users.begin')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={t('users.begin')}
          data={states.map((value) => ({ value, label: t(`users.begins.${value}`) }))}
          {...form.getInputProps('status')}
        />
      </div>
      {status === 'on_hold' ? (
        <NumberInput
          label={t('users.holdDays')}
          description={t('users.holdHint')}
          min={0}
          suffix={` ${t('common.days')}`}
          required
          {...form.getInputProps('on_hold_expire_duration')}
        />
      ) : (
        <LastDay form={form} />
      )}
      <Textarea label={t('users.note')} autosize minRows={2} maxLength={500} {...form.getInputProps('note')} />
    </Stack>
  );
}
