import { MultiSelect, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { inboundsQuery } from '../../api/queries';
import type { Group } from '../../api/types';
import { FormDialog } from '../../ui/form/form-dialog';
import { changedMembers, useSave } from '../../ui/form/use-save';

const valuesOf = (group: Group | undefined) => ({
  name: group?.name ?? '',
  inbound_tags: group?.inbound_tags ?? [],
  is_disabled: group?.is_disabled ?? false,
});

/** The form of a group, for a new one or one that exists. */
export function GroupForm({ group, onClose }: { group: Group | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const { data: inbounds } = useQuery(inboundsQuery);
  const form = useForm({ initialValues: valuesOf(group) });
  const save = useSave({
    form,
    before: group,
    valuesOf,
    send: (body, header) =>
      dataOf(
        group
          ? api.PUT('/api/group/{group_id}', {
              params: { path: { group_id: group.id }, header },
              // A core may have lost one of its inbounds meanwhile, which the API would refuse.
              body: changedMembers(valuesOf(group), body),
            })
          : api.POST('/api/group', { body }),
      ),
    shownBy: ['groups'],
    onSaved: onClose,
  });
  return (
    <FormDialog
      title={group ? t('users.editTitle', { username: group.name }) : t('groups.create')}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={group ? t('common.save') : t('common.create')}
    >
      <TextInput
        label={t('users.name')}
        description={t('groups.nameHint')}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <MultiSelect
        label={t('groups.inbounds')}
        description={t('groups.inboundsHint')}
        data={[...new Set([...(inbounds ?? []), ...(group?.inbound_tags ?? [])])]}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('common.clear') }}
        {...form.getInputProps('inbound_tags')}
      />
      <Switch label={t('groups.isDisabled')} {...form.getInputProps('is_disabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
