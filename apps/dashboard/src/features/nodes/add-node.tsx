import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { coresQuery } from '../../api/queries';
import { FormDialog } from '../../ui/form/form-dialog';
import { useSave } from '../../ui/form/use-save';

const NEW_NODE = {
  name: '',
  address: '',
  port: 62050 as number | string,
  core_config_id: '1' as string | null,
  usage_coefficient: 1 as number | string,
};

/** The form for a new node. Management issues its key and certificate, which the answer has as one value. */
export function AddNode({ onClose, onAdded }: { onClose: () => void; onAdded: (enrolment: string) => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(coresQuery);
  const form = useForm({ initialValues: NEW_NODE });
  const save = useSave({
    form,
    send: (values) =>
      dataOf(
        api.POST('/api/nodes/enrol', {
          body: {
            name: values.name.trim(),
            address: values.address.trim(),
            port: Number(values.port),
            core_config_id: values.core_config_id === null ? null : Number(values.core_config_id),
            usage_coefficient: Number(values.usage_coefficient),
          },
        }),
      ),
    shownBy: ['nodes'],
    onSaved: ({ enrolment }) => onAdded(enrolment),
  });
  return (
    <FormDialog title={t('nodes.add')} onClose={onClose} form={form} save={save} submitLabel={t('nodes.add')}>
      <TextInput label={t('nodes.name')} required data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label={t('nodes.address')}
        description={t('nodes.addressHint')}
        required
        dir="ltr"
        {...form.getInputProps('address')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput label={t('nodes.port')} min={1} max={65535} allowDecimal={false} {...form.getInputProps('port')} />
        <NumberInput label={t('nodes.coefficient')} min={0} step={0.1} {...form.getInputProps('usage_coefficient')} />
      </SimpleGrid>
      <Select
        label={t('nodes.core')}
        data={data?.cores.map(({ id, name }) => ({ value: `${id}`, label: name })) ?? []}
        {...form.getInputProps('core_config_id')}
      />
    </FormDialog>
  );
}
