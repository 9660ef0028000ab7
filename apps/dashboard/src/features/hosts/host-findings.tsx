import { Button, Divider, Group, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error';
import { api, dataOf } from '../../api/client';
import type { HostCreate } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import { messageOf } from '../../ui/feedback/notify';
import { IconPlay } from '../../ui/icons';
import { HostPreview } from './host-preview';
import { ProbeResults } from './probe-results';

const TYPING_MS = 500;

/** Beside the form of a host: what the API says about it as it stands, what each client would get, and whether it can be reached. */
export function HostFindings({ id, body }: { id: number | undefined; body: HostCreate }) {
  const { t } = useTranslation();
  const current = JSON.stringify(body);
  const [text] = useDebouncedValue(current, TYPING_MS);
  const settled = JSON.parse(text) as HostCreate;
  const isReady = settled.inbound_tag !== '' && settled.remark !== '';
  const [hasOpened, setOpened] = useState(false);
  const check = useQuery({
    queryKey: ['host-check', id, text],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/api/hosts/check', { params: { query: id === undefined ? {} : { id } }, body: settled, signal }),
      ),
    enabled: isReady,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const probe = useMutation({
    meta: { isShown: true },
    mutationFn: (probed: string) => dataOf(api.POST('/api/hosts/probe', { body: JSON.parse(probed) as HostCreate })),
  });
  // An incomplete host keeps no verdict of what it was before, and a changed one no results.
  const verdict = isReady ? check.data : undefined;
  const isProbed = probe.variables === current;
  return (
    <Stack gap="sm" component="section" aria-label={t('hosts.findings')} onKeyDown={keepFormOpen}>
      <Title order={3} size="h5">
        {t('hosts.findings')}
      </Title>
      {check.error && <Notice tone="bad" title={messageOf(ApiError.from(check.error))} />}
      {verdict?.errors.map(({ message }) => (
        <Notice key={message} tone="bad" isAlert>
          <div dir="ltr">{message}</div>
        </Notice>
      ))}
      {verdict?.warnings.map(({ path, message }) => (
        <Notice key={`${path} ${message}`} tone="warning">
          <div dir="ltr">{message}</div>
        </Notice>
      ))}
      {verdict && verdict.errors.length + verdict.warnings.length === 0 && (
        <Notice tone="good" title={t('cores.fine')} />
      )}
      {!verdict && !check.error && (
        <Text size="sm" c="var(--quiet)">
          {t('hosts.checkFirst')}
        </Text>
      )}
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlay size={14} />}
          disabled={verdict === undefined || verdict.errors.length > 0}
          loading={probe.isPending}
          onClick={() => probe.mutate(current)}
        >
          {t('hosts.probe')}
        </Button>
      </Group>
      {isProbed && probe.error && <Notice tone="bad" isAlert title={messageOf(probe.error)} />}
      {isProbed && probe.data && <ProbeResults {...probe.data} />}
      <Divider />
      <details onToggle={() => setOpened(true)}>
        <summary>{t('preview.title')}</summary>
        {hasOpened && <HostPreview body={{ ...settled, ...(id !== undefined && { id }) }} />}
      </details>
    </Stack>
  );
}

/** The fields of the preview belong to no form: Enter in them would save the host of the form around them. */
function keepFormOpen(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
}
