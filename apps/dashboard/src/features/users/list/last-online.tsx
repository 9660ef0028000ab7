import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/i18n/format';

const NOW_MS = 120_000;

/** When a user was last online; within two minutes that is now. */
export function LastOnline({ at }: { at: string | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (at === null)
    return (
      <Text size="sm" span c="var(--quiet)">
        {t('users.neverOnline')}
      </Text>
    );
  const isNow = Date.now() - new Date(at).getTime() < NOW_MS;
  return (
    <Text size="sm" span title={format.moment(at)} {...(isNow && { c: 'light-dark(#17692f, #8fdea5)', fw: 600 })}>
      {isNow ? t('users.onlineNow') : format.relative(at)}
    </Text>
  );
}
