import { Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Template } from '../../../api/types';
import { useFormat } from '../../../ui/i18n/format';
import type { UserValues } from './user-values';

const DAY_SECONDS = 86_400;

/** What is left to fill in when a template has the terms. */
export function TemplateUserFields({
  form,
  template,
}: {
  form: UseFormReturnType<UserValues>;
  template: Template | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = `${template?.username_prefix ?? ''}${form.getValues().username.trim()}${template?.username_suffix ?? ''}`;
  return (
    <>
      <TextInput
        label={t('users.name')}
        description={name !== form.getValues().username.trim() ? t('users.nameWillBe', { name }) : undefined}
        data-autofocus
        required
        autoCapitalize="off"
        spellCheck={false}
        {...form.getInputProps('username')}
      />
      {template && (
        <Text size="sm" c="var(--quiet)">
          {template.data_limit > 0 ? format.bytes(template.data_limit) : t('users.unlimited')}
          {' · '}
          {template.expire_duration > 0
            ? t('users.inDays', { count: Math.round(template.expire_duration / DAY_SECONDS) })
            : t('users.never')}
        </Text>
      )}
      <Textarea label={t('users.note')} autosize minRows={2} maxLength={500} {...form.getInputProps('note')} />
    </>
  );
}
