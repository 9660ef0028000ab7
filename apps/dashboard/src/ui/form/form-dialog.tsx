import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useOpenQuestion } from '../feedback/confirm';
import { noteFocus } from '../feedback/focus';
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
  const question = useOpenQuestion();
  const [giveFocusBack] = useState(noteFocus);
  useEffect(() => giveFocusBack, [giveFocusBack]);
  return (
    <Modal
      opened
      onClose={close}
      closeOnEscape={question === undefined}
      title={title}
      size={size ?? 'lg'}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
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
    </Modal>
  );
}
