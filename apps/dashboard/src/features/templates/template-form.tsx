import {
  Fieldset,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { groupsQuery } from '../../api/queries';
import type { Template } from '../../api/types';
import { FormDialog } from '../../ui/form/form-dialog';
import { changedMembers, useSave } from '../../ui/form/use-save';
import { FLOWS, METHODS, RESETS } from '../../ui/form/values';
import { templateBody, templateValues } from './template-values';

/** The form of a template, for a new one or one that exists. */
export function TemplateForm({ template, onClose }: { template: Template | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const { data: groups } = useQuery(groupsQuery);
  const before = useMemo(() => templateValues(template), [template]);
  const form = useForm({ initialValues: before });
  const { status, flow } = form.getValues();
  const save = useSave({
    form,
    before: template,
    valuesOf: templateValues,
    send: (values, header) =>
      dataOf(
        template
          ? api.PUT('/api/user_template/{template_id}', {
              params: { path: { template_id: template.id }, header },
              body: changedMembers(templateBody(before), templateBody(values)),
            })
          : api.POST('/api/user_template', { body: templateBody(values) }),
      ),
    shownBy: ['templates'],
    onSaved: onClose,
  });
  const days = { min: 0, suffix: ` ${t('common.days')}`, decimalScale: 2 };
  // A stored method cannot be taken back to the default while there is a flow.
  const hasDefaultMethod = flow === 'none' || before.method === '';
  return (
    <FormDialog
      title={template ? t('users.editTitle', { username: template.name }) : t('templates.create')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={template ? t('common.save') : t('common.create')}
    >
      <TextInput label={t('users.name')} required data-autofocus {...form.getInputProps('name')} />
      <MultiSelect
        label={t('users.groups')}
        description={t('users.groupsHint')}
        required
        searchable
        data={groups?.groups.map(({ id, name }) => ({ value: `${id}`, label: name })) ?? []}
        {...form.getInputProps('group_ids')}
      />
      <Fieldset legend={t('templates.terms')}>
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
        <Text component="div" size="sm" fw={500} mt="md" mb={4}>
          {t('templates.runs')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={t('templates.runs')}
          data={(['active', 'on_hold'] as const).map((value) => ({ value, label: t(`templates.begins.${value}`) }))}
          {...form.getInputProps('status')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} mt="md">
          <NumberInput
            label={t('users.holdDays')}
            placeholder={t('users.never')}
            {...days}
            {...form.getInputProps('expire_duration')}
          />
          {status === 'on_hold' && (
            <NumberInput
              label={t('templates.holdTimeout')}
              description={t('templates.holdTimeoutHint')}
              required
              {...days}
              {...form.getInputProps('on_hold_timeout')}
            />
          )}
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={t('templates.names')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={t('templates.prefix')} dir="ltr" {...form.getInputProps('username_prefix')} />
          <TextInput label={t('templates.suffix')} dir="ltr" {...form.getInputProps('username_suffix')} />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={t('templates.credentials')}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select
            label={t('form.flow')}
            data={FLOWS.map((value) => ({ value: value || 'none', label: value || t('hosts.securities.none') }))}
            allowDeselect={false}
            {...form.getInputProps('flow')}
          />
          <Select
            label={t('form.method')}
            data={[...(hasDefaultMethod ? [{ value: '', label: t('templates.defaultMethod') }] : []), ...METHODS]}
            allowDeselect={false}
            {...form.getInputProps('method')}
          />
        </SimpleGrid>
      </Fieldset>
      <Switch label={t('templates.resetUsages')} {...form.getInputProps('reset_usages', { type: 'checkbox' })} />
      <Switch label={t('templates.isDisabled')} {...form.getInputProps('is_disabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
