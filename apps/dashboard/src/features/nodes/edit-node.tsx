import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { coresQuery } from '../../api/queries';
import type { Node } from '../../api/types';
import { notifyDone } from '../../ui/feedback/notify';
import { FormDialog } from '../../ui/form/form-dialog';
import { changedMembers, useSave } from '../../ui/form/use-save';
import { CoreEffectNotice } from './core-effect-notice';
import { nodeBody, nodeValues } from './node-values';

/** The form that changes a node. Only what was changed here is sent, and nothing over what somebody else has saved meanwhile. */
export function EditNode({ node, onClose }: { node: Node; onClose: () => void }) {
  const { t } = useTranslation();
  const { data: cores } = useQuery(coresQuery);
  const [before] = useState(node);
  const form = useForm({ initialValues: nodeValues(before) });
  const chosen = form.values.core_config_id;
  const isOther = chosen !== null && chosen !== nodeValues(before).core_config_id;
  const save = useSave({
    form,
    before,
    valuesOf: nodeValues,
    send: (values, header) =>
      dataOf(
        api.PUT('/api/node/{node_id}', {
          params: { path: { node_id: node.id }, header },
          body: changedMembers(nodeBody(nodeValues(before)), nodeBody(values)),
        }),
      ),
    shownBy: ['nodes'],
    onSaved: ({ name }) => {
      notifyDone(t('nodes.saved', { name }));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('users.editTitle', { username: before.name })}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={t('common.save')}
    >
      <TextInput label={t('nodes.name')} required data-autofocus {...form.getInputProps('name')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={t('nodes.address')} required dir="ltr" {...form.getInputProps('address')} />
        <NumberInput label={t('nodes.port')} min={1} max={65535} allowDecimal={false} {...form.getInputProps('port')} />
        <Select
          label={t('nodes.core')}
          data={cores?.cores.map(({ id, name }) => ({ value: `${id}`, label: name })) ?? []}
          allowDeselect={false}
          {...form.getInputProps('core_config_id')}
        />
        <NumberInput
          label={t('nodes.coefficient')}
          description={t('nodes.coefficientHint')}
          min={0}
          step={0.1}
          {...form.getInputProps('usage_coefficient')}
        />
        <Select
          label={t('nodes.connection')}
          data={['grpc', 'rest']}
          allowDeselect={false}
          {...form.getInputProps('connection_type')}
        />
        <NumberInput
          label={t('nodes.keepAlive')}
          description={t('nodes.keepAliveHint')}
          min={0}
          allowDecimal={false}
          {...form.getInputProps('keep_alive')}
        />
      </SimpleGrid>
      {isOther && <CoreEffectNotice node={before} chosen={Number(chosen)} />}
    </FormDialog>
  );
}
