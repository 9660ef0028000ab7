import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import { userQuery } from '../../../api/queries';
import type { User } from '../../../api/types';
import { notifyUndo } from '../../../ui/feedback/notify';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';
import { UserFields } from './user-fields';
import { bodyToModify, exactly, type UserValues, valuesOf } from './user-values';

/** The form that changes a user. Only what was changed here is sent. */
export function EditUser({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  // What others change while the form is open is no part of what it began with.
  const [before] = useState(user);
  const values = useMemo(() => valuesOf(before), [before]);
  const form = useForm<UserValues>({ initialValues: values });
  const { username } = user;
  // Back to what the form began with, unless somebody has changed the user since.
  const undo = useMutation({
    mutationFn: (changed: User) =>
      dataOf(
        api.PUT('/api/user/{username}', {
          params: { path: { username }, header: { 'if-match': changed.version } },
          body: exactly(bodyToModify(valuesOf(changed), values), before),
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['users'] }),
  });
  const save = useSave({
    form,
    before,
    valuesOf,
    send: (after, header) =>
      dataOf(
        api.PUT('/api/user/{username}', {
          params: { path: { username }, header },
          body: bodyToModify(values, after),
        }),
      ),
    shownBy: ['users'],
    onSaved: (changed) => {
      client.setQueryData(userQuery(username).queryKey, changed);
      notifyUndo(t('users.modifyDone', { username }), () => undo.mutate(changed));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('users.editTitle', { username })}
      onClose={onClose}
      form={form}
      save={save}
      submitLabel={t('common.save')}
    >
      <UserFields form={form} isNew={false} />
    </FormDialog>
  );
}
