import { Select, SimpleGrid, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type { Settings } from '../../api/types';
import { FormPanel } from '../../ui/form/form-panel';
import { useSave } from '../../ui/form/use-save';
import { FLOWS, METHODS } from '../../ui/form/values';
import { type StoredSettings, saveGeneral, useShowSaved } from './settings-queries';

interface Values {
  /** An empty flow is no value of a list. */
  default_flow: 'none' | 'xtls-rprx-vision';
  default_method: Settings['general']['default_method'];
}

const valuesOf = ({ general: { default_flow, default_method } }: StoredSettings): Values => ({
  default_flow: default_flow || 'none',
  default_method,
});

/** What the credentials of new users get. */
export function CredentialsForm({ stored }: { stored: StoredSettings }) {
  const { t } = useTranslation();
  const show = useShowSaved();
  const form = useForm({ initialValues: valuesOf(stored) });
  const save = useSave({
    form,
    before: stored,
    valuesOf,
    send: ({ default_flow, ...rest }, header) =>
      saveGeneral({ ...rest, default_flow: default_flow === 'none' ? '' : default_flow }, header),
    section: 'general',
    shownBy: [],
    onSaved: show.settings,
  });
  return (
    <FormPanel form={form} save={save}>
      <Text size="sm" c="var(--quiet)">
        {t('settings.credentialsText')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t('form.flow')}
          description={t('settings.flowHint')}
          data={FLOWS.map((value) => ({ value: value || 'none', label: value || t('hosts.securities.none') }))}
          allowDeselect={false}
          {...form.getInputProps('default_flow')}
        />
        <Select
          label={t('form.method')}
          description={t('settings.methodHint')}
          data={METHODS}
          allowDeselect={false}
          {...form.getInputProps('default_method')}
        />
      </SimpleGrid>
    </FormPanel>
  );
}
