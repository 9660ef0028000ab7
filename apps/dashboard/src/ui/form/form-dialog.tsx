import { Button, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../dialog/dialog';
import { FormProblems } from './form-problems';
import type { Save } from './use-save';
import { useUnsaved } from './use-unsaved';

interface Props<Values extends object> {
  title: string;
  onClose: () => void;
  form: UseFormReturnType<Values>;
  save: Save;
  submitLabel: string;
  size?: string;
  children: ReactNode;
}

/** A form in a dialog. It is not closed by a click beside it, and nothing typed is lost without a question. */
export function FormDialog<Values extends object>({
  title,
  onClose,
  form,
  save,
  submitLabel,
  size,
  children,
}: Props<Values>) {
  const { t } = useTranslation();
  const frame = useRef<HTMLFormElement>(null);
  const leave = useUnsaved(() => form.isDirty());
  const close = () => leave(onClose);
  return (
    <Dialog onClose={close} title={title} size={size ?? 'lg'}>
      <form ref={frame} onSubmit={save.submit} noValidate>
        <Stack gap="md">
          <FormProblems save={save} own={Object.keys(form.getValues())} form={frame} />
          {children}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
