import { Button, Card, Group, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { FormProblems } from './form-problems';
import type { Save } from './use-save';
import { useUnsaved } from './use-unsaved';

interface Props<Values extends object> {
  form: UseFormReturnType<Values>;
  save: Save;
  children: ReactNode;
}

/** A form as a part of a page. What was typed is not left without a question. */
export function FormPanel<Values extends object>({ form, save, children }: Props<Values>) {
  const { t } = useTranslation();
  const frame = useRef<HTMLFormElement>(null);
  const isDirty = form.isDirty();
  useUnsaved(() => form.isDirty());
  return (
    <Card withBorder bg="var(--surface)" padding="md">
      <form ref={frame} onSubmit={save.submit} noValidate>
        <Stack gap="md">
          <FormProblems save={save} own={Object.keys(form.getValues())} form={frame} />
          {children}
          <Group gap="xs">
            <Button type="submit" loading={save.isPending} disabled={!isDirty}>
              {t('common.save')}
            </Button>
            {isDirty && (
              <Button variant="default" onClick={() => form.reset()}>
                {t('form.discard')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
