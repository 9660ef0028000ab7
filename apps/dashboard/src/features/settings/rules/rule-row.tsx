import { Group, Paper, Select, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { IconArrowDown, IconArrowUp, IconDelete } from '../../../ui/icons';
import { RowActions } from '../../../ui/list/row-actions';
import { TARGETS } from '../formats';
import type { RulesValues } from './rule-values';

/** One rule, with its place in the order in which rules are tried. */
export function RuleRow({ form, at, count }: { form: UseFormReturnType<RulesValues>; at: number; count: number }) {
  const { t } = useTranslation();
  const move = (to: number) => () => form.reorderListItem('rules', { from: at, to });
  const name = t('settings.rule', { place: at + 1 });
  return (
    <Paper withBorder p="sm" component="fieldset" aria-label={name}>
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <strong>{name}</strong>
        <RowActions
          name={name}
          actions={[
            { label: t('hosts.up'), icon: IconArrowUp, run: at > 0 ? move(at - 1) : undefined },
            { label: t('hosts.down'), icon: IconArrowDown, run: at < count - 1 ? move(at + 1) : undefined },
            { label: t('common.delete'), icon: IconDelete, run: () => form.removeListItem('rules', at) },
          ]}
        />
      </Group>
      <Group align="flex-start" gap="sm">
        <TextInput
          style={{ flex: '1 1 220px' }}
          label={t('settings.pattern')}
          required
          dir="ltr"
          spellCheck={false}
          {...form.getInputProps(`rules.${at}.pattern`)}
        />
        <Select
          style={{ flex: '0 1 190px' }}
          label={t('settings.target')}
          data={TARGETS.map((value) => ({ value, label: t(`settings.targets.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps(`rules.${at}.target`)}
        />
      </Group>
      <Textarea
        mt="xs"
        label={t('settings.headers')}
        placeholder="routing: happ://…"
        autosize
        minRows={1}
        dir="ltr"
        spellCheck={false}
        {...form.getInputProps(`rules.${at}.headers`)}
      />
    </Paper>
  );
}
