import { Code, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SubscriptionPreview } from '../../api/types';
import { Notice } from '../feedback/notice';
import { wordsOf } from '../i18n/words';
import { IconCheck, IconClose } from '../icons';
import { CopyButton } from '../share/copy-button';
import classes from './preview-result.module.css';

/** What a client gets: the format, each host with the reason where it is left out, and the document itself. */
export function PreviewResult({ preview }: { preview: SubscriptionPreview }) {
  const { t } = useTranslation();
  const { format, document, hosts } = preview;
  const name = format === null ? undefined : (wordsOf(`preview.formats.${format}`) ?? format);
  return (
    <Stack gap="sm">
      {name === undefined ? (
        <Notice tone="bad" title={t('preview.refused')} />
      ) : (
        <Text size="sm">
          {t('preview.format')} <strong>{name}</strong>
        </Text>
      )}
      <ul className={classes.hosts} aria-label={t('nav.hosts')}>
        {hosts.map((host, at) => (
          <PreviewedHost key={`${host.id ?? 'new'} ${at}`} {...host} />
        ))}
        {hosts.length === 0 && <li>{t('preview.noHosts')}</li>}
      </ul>
      {document && (
        <details>
          <summary>{t('preview.document')}</summary>
          <Group justify="flex-end">
            <CopyButton text={document} />
          </Group>
          <Code block dir="ltr" mah={320} tabIndex={0} className={classes.document}>
            {document}
          </Code>
        </details>
      )}
    </Stack>
  );
}

function PreviewedHost({ name, remark, reason, message }: SubscriptionPreview['hosts'][number]) {
  const { t } = useTranslation();
  return (
    <li data-verdict={reason === null ? 'ok' : 'bad'}>
      {reason === null ? (
        <IconCheck size={16} aria-label={t('preview.gets')} />
      ) : (
        <IconClose size={16} aria-label={t('preview.lacks')} />
      )}
      <div>
        <bdi>{name ?? remark}</bdi>
        {reason !== null && (
          <Text size="xs" c="var(--quiet)">
            {wordsOf(`preview.reasons.${reason}`)} {message && <bdi dir="ltr">({message})</bdi>}
          </Text>
        )}
      </div>
    </li>
  );
}
