import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useSave } from '../../../ui/form/use-save';
import { Password } from './change-password';

interface Props<Answer> {
  title: string;
  submitLabel: string;
  send: (password: string) => Promise<Answer>;
  onDone: (answer: Answer) => unknown;
  onClose: () => void;
}

/** Asks for the own password before something that a stolen login alone must not be enough for. */
export function PasswordDialog<Answer>({ title, submitLabel, send, onDone, onClose }: Props<Answer>) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { password: '' } });
  const save = useSave({ form, send: ({ password }) => send(password), shownBy: [], onSaved: onDone });
  return (
    <FormDialog title={title} onClose={onClose} form={form} save={save} submitLabel={submitLabel} size="md">
      <Password
        label={t('admins.currentPassword')}
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}
