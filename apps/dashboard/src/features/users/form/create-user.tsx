import { Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import { groupsQuery, templatesQuery, userQuery } from '../../../api/queries';
import { notifyDone } from '../../../ui/feedback/notify';
import { aboutField } from '../../../ui/form/field-errors';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';
import { TemplateUserFields } from './template-user-fields';
import { UserFields } from './user-fields';
import { bodyToCreate, NEW_USER, type UserValues } from './user-values';

interface Props {
  templateId: number | undefined;
  onClose: () => void;
}

/** The form for a new user, with terms of its own or those of a template. Afterwards the user is shown, with its QR code. */
export function CreateUser(props: Props) {
  // The form begins with the only group, so that the groups must be known.
  return useQuery(groupsQuery).isPending ? null : <CreateUserForm {...props} />;
}

function CreateUserForm({ templateId, onClose }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: templates } = useQuery(templatesQuery);
  const { data: groups } = useQuery(groupsQuery);
  const [template, setTemplate] = useState(templateId === undefined ? null : `${templateId}`);
  // With one group alone there is nothing to choose.
  const only = groups?.groups.length === 1 ? groups.groups.map(({ id }) => `${id}`) : [];
  const form = useForm<UserValues>({ initialValues: { ...NEW_USER, group_ids: only } });
  const save = useSave({
    form,
    send: (values) =>
      dataOf(
        template === null
          ? api.POST('/api/user', { body: bodyToCreate(values) })
          : api.POST('/api/user/from_template', {
              body: { user_template_id: Number(template), username: values.username.trim(), note: values.note || null },
            }),
      ).catch(aboutField('username', 'USER_EXISTS')),
    shownBy: ['users', 'system'],
    onSaved: async (user) => {
      client.setQueryData(userQuery(user.username).queryKey, user);
      notifyDone(t('users.createDone', { username: user.username }));
      await navigate({
        to: '/users/$username',
        params: { username: user.username },
        search: ({ create: _, template: __, ...now }) => now,
      });
    },
  });
  const usable = templates?.filter(({ is_disabled }) => !is_disabled) ?? [];
  return (
    <FormDialog title={t('users.create')} onClose={onClose} form={form} save={save} submitLabel={t('common.create')}>
      {usable.length > 0 && (
        <Select
          label={t('users.template')}
          placeholder={t('users.noTemplate')}
          data={usable.map(({ id, name }) => ({ value: `${id}`, label: name ?? `${id}` }))}
          value={template}
          onChange={setTemplate}
          clearable
          clearButtonProps={{ 'aria-label': t('common.clear') }}
        />
      )}
      {template === null ? (
        <UserFields form={form} isNew />
      ) : (
        <TemplateUserFields form={form} template={usable.find(({ id }) => `${id}` === template)} />
      )}
    </FormDialog>
  );
}
