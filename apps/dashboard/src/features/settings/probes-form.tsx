import { NumberInput, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FormPanel } from '../../ui/form/form-panel';
import { useSave } from '../../ui/form/use-save';
import { type StoredProbes, saveProbes, useShowSaved } from './settings-queries';

const valuesOf = (stored: StoredProbes) => ({
  every_minutes: (stored.every_minutes ?? 0) as number | string,
  viewpoints: (stored.viewpoints ?? 1) as number | string,
  url: stored.url ?? '',
  after_change: stored.after_change ?? false,
  hide_failing: stored.hide_failing ?? false,
  hide_after: (stored.hide_after ?? 1) as number | string,
});

/** How hosts are tried as clients would, and what follows from a failure. */
export function ProbesForm({ stored }: { stored: StoredProbes }) {
  const { t } = useTranslation();
  const show = useShowSaved();
  const form = useForm({ initialValues: valuesOf(stored) });
  const { every_minutes, hide_failing } = form.getValues();
  const save = useSave({
    form,
    before: stored,
    valuesOf,
    send: (values, header) =>
      saveProbes(
        {
          ...values,
          every_minutes: Number(values.every_minutes),
          viewpoints: Number(values.viewpoints),
          hide_after: Number(values.hide_after),
        },
        header,
      ),
    shownBy: [],
    onSaved: show.probes,
  });
  const whole = { min: 1, allowDecimal: false } as const;
  return (
    <FormPanel form={form} save={save}>
      <Text size="sm" c="var(--quiet)">
        {t('settings.probesText')}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label={t('settings.everyMinutes')}
          description={t('settings.everyMinutesHint')}
          {...whole}
          min={0}
          max={10_080}
          suffix={` ${t('settings.minutes')}`}
          {...form.getInputProps('every_minutes')}
        />
        <NumberInput
          label={t('settings.viewpoints')}
          description={t('settings.viewpointsHint')}
          {...whole}
          max={10}
          {...form.getInputProps('viewpoints')}
        />
        <TextInput
          label={t('settings.probeUrl')}
          description={t('settings.probeUrlHint')}
          dir="ltr"
          placeholder="https://…"
          {...form.getInputProps('url')}
        />
      </SimpleGrid>
      <Stack gap="sm">
        <Switch label={t('settings.afterChange')} {...form.getInputProps('after_change', { type: 'checkbox' })} />
        <Switch
          label={t('settings.hideFailing')}
          description={t('settings.hideFailingHint')}
          disabled={Number(every_minutes) === 0 && !hide_failing}
          {...form.getInputProps('hide_failing', { type: 'checkbox' })}
        />
        {hide_failing && (
          <NumberInput
            maw={340}
            label={t('settings.hideAfter')}
            {...whole}
            max={100}
            {...form.getInputProps('hide_after')}
          />
        )}
      </Stack>
    </FormPanel>
  );
}
