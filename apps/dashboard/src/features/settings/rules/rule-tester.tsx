import { Card, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../ui/feedback/notice';
import { Facts } from '../../../ui/list/facts';
import { findRule } from './find-rule';
import { KNOWN_CLIENTS } from './known-clients';
import type { RuleValues } from './rule-values';

/** What clients would get by the rules as they stand in the form, saved or not. */
export default function RuleTester({ rules }: { rules: readonly RuleValues[] }) {
  const { t } = useTranslation();
  const [userAgent, setUserAgent] = useState('');
  const patterns = rules.map(({ pattern }) => pattern);
  const answer = (agent: string) => {
    const place = findRule(patterns, agent);
    const target = rules[place]?.target ?? 'block';
    return { place, isRefused: target === 'block', text: t(`settings.targets.${target}`) };
  };
  const tested = answer(userAgent);
  return (
    <Card
      component="section"
      withBorder
      bg="var(--surface)"
      padding="md"
      style={{ position: 'sticky', insetBlockStart: 68 }}
    >
      <Stack gap="md">
        <Title order={2} size="h4">
          {t('settings.tester')}
        </Title>
        <TextInput
          label="User-Agent"
          description={t('settings.testerHint')}
          dir="ltr"
          value={userAgent}
          onChange={(event) => setUserAgent(event.currentTarget.value)}
        />
        {userAgent !== '' && (
          <Notice tone={tested.isRefused ? 'bad' : 'good'} title={tested.text}>
            {tested.place < 0 ? t('settings.noRule') : t('settings.byRule', { place: tested.place + 1 })}
          </Notice>
        )}
        <Text size="sm" c="var(--quiet)">
          {t('settings.testerText')}
        </Text>
        <Facts facts={KNOWN_CLIENTS.map(([name, agent]) => ({ name, value: answer(agent).text }))} />
      </Stack>
    </Card>
  );
}
