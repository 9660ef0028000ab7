import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import type { Core } from '../../api/types';
import { FormDialog } from '../../ui/form/form-dialog';
import { useSave } from '../../ui/form/use-save';
import { CORE_TEMPLATES, type CoreTemplate, configOf } from './core-templates';

/** The form for a new core: its name and what it begins with. Then the editor opens. */
export function CreateCore({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { name: '', template: 'reality' as CoreTemplate } });
  const save = useSave({
    form,
    send: ({ name, template }) =>
      dataOf(api.POST('/api/core', { body: { name: name.trim(), config: configOf(template, name.trim()) } })),
    shownBy: ['cores', 'inbounds'],
    onSaved: ({ id }: Core) => navigate({ to: '/cores/$id', params: { id: `${id}` } }),
  });
  return (
    <FormDialog title={t('cores.create')} onClose={onClose} form={form} save={save} submitLabel={t('common.create')}>
      <TextInput label={t('users.name')} required data-autofocus {...form.getInputProps('name')} />
      <Select
        label={t('cores.beginWith')}
        description={t('cores.beginHint')}
        data={CORE_TEMPLATES.map((value) => ({ value, label: t(`cores.templates.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps('template')}
      />
    </FormDialog>
  );
}
