import { Button, Group, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { FormPanel } from '../../../ui/form/form-panel';
import { useSave } from '../../../ui/form/use-save';
import { IconPlus } from '../../../ui/icons';
import { type StoredSettings, saveSubscription, useShowSaved } from '../settings-queries';
import { RuleRow } from './rule-row';
import { NEW_RULE, type RulesValues, rulesBody, rulesValues, wrongHeader } from './rule-values';

const RuleTester = lazy(() => import('./rule-tester'));

/** Which client gets which format: rules in the order in which they are tried, beside what they do. */
export function RulesForm({ stored }: { stored: StoredSettings }) {
  const { t } = useTranslation();
  const show = useShowSaved();
  const form = useForm<RulesValues>({
    initialValues: rulesValues(stored),
    validate: {
      rules: {
        headers: (headers: string) => {
          const line = wrongHeader(headers);
          return line === undefined ? null : t('settings.wrongHeader', { line });
        },
      },
    },
  });
  const { rules } = form.getValues();
  const save = useSave({
    form,
    before: stored,
    valuesOf: rulesValues,
    send: (values, header, now: StoredSettings | undefined) =>
      saveSubscription({ rules: rulesBody(values) }, header, now),
    section: 'subscription',
    shownBy: [],
    onSaved: show.settings,
  });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
      <FormPanel form={form} save={save}>
        <Text size="sm" c="var(--quiet)">
          {t('settings.rulesText')}
        </Text>
        {rules.map((_, at) => (
          <RuleRow key={at} form={form} at={at} count={rules.length} />
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() => form.insertListItem('rules', NEW_RULE, 0)}
          >
            {t('settings.addRule')}
          </Button>
        </Group>
      </FormPanel>
      <Suspense fallback={<Skeleton height={320} />}>
        <RuleTester rules={rules} />
      </Suspense>
    </SimpleGrid>
  );
}
