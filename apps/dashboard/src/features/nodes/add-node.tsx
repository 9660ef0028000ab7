import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { coresQuery, groupsQuery, nodesQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import { FormDialog } from '../../ui/form/form-dialog';
import { useSave } from '../../ui/form/use-save';
import { isGrantedByNone, preferredCore } from './core-choice';

const NEW_NODE = {
  name: '',
  address: '',
  port: 62050 as number | string,
  /** null: the preferred one, which is known once the lists are here. */
  core_config_id: null as string | null,
  usage_coefficient: 1 as number | string,
};

/** A node with the line with which it enrols. */
export interface Enrolled {
  node: Node;
  enrolment: string;
}

/** The form for a new node. Management issues its key and certificate, which the answer has as one value. */
export function AddNode({ onClose, onAdded }: { onClose: () => void; onAdded: (enrolled: Enrolled) => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(coresQuery);
  const { data: nodes } = useQuery(nodesQuery);
  const { data: groups } = useQuery(groupsQuery);
  const form = useForm({ initialValues: NEW_NODE });
  const cores = data?.cores ?? [];
  const chosen = form.values.core_config_id;
  const core = cores.find(({ id }) => `${id}` === chosen) ?? preferredCore(cores, nodes ?? []);
  const save = useSave({
    form,
    send: (values) =>
      dataOf(
        api.POST('/api/nodes/enrol', {
          body: {
            name: values.name.trim(),
            address: values.address.trim(),
            port: Number(values.port),
            ...(core && { core_config_id: core.id }),
            usage_coefficient: Number(values.usage_coefficient),
          },
        }),
      ),
    shownBy: ['nodes'],
    onSaved: onAdded,
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
        <NumberInput
          label={t('nodes.port')}
          description={t('nodes.portHint')}
          min={1}
          max={65535}
          allowDecimal={false}
          {...form.getInputProps('port')}
        />
        <NumberInput
          label={t('nodes.coefficient')}
          description={t('nodes.coefficientHint')}
          min={0}
          step={0.1}
          {...form.getInputProps('usage_coefficient')}
        />
      </SimpleGrid>
      <Select
        label={t('nodes.core')}
        data={cores.map(({ id, name }) => ({ value: `${id}`, label: name }))}
        allowDeselect={false}
        {...form.getInputProps('core_config_id')}
        value={core ? `${core.id}` : null}
      />
      {core && groups && isGrantedByNone(core, groups.groups) && (
        <Notice tone="warning">{t('nodes.coreGrantedByNone')}</Notice>
      )}
    </FormDialog>
  );
}
