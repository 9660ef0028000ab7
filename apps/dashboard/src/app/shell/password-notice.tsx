import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { selfQuery } from '../../api/queries';
import { Notice } from '../../ui/feedback/notice';
import { useFormat } from '../../ui/i18n/format';

/** Tells an admin where its password was used without a code, until it says that it knows. */
export function PasswordNotice() {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: self } = useQuery(selfQuery);
  const forget = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/admin/passwords-without-code')),
    onSettled: () => client.invalidateQueries(selfQuery),
  });
  const found = self?.passwords_without_code ?? [];
  if (found.length === 0) return null;
  return (
    <Notice tone="bad" title={t('login.withoutCode')} isAlert>
      {found.map(({ network, since }) => (
        <div key={`${network} ${since}`}>
          <bdi dir="ltr">{network}</bdi> · {format.moment(since)}
        </div>
      ))}
      <div>{t('login.withoutCodeText')}</div>
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={() => void navigate({ to: '/account' })}>
          {t('shell.account')}
        </Button>
        <Button size="xs" variant="default" loading={forget.isPending} onClick={() => forget.mutate()}>
          {t('login.wasMe')}
        </Button>
      </Group>
    </Notice>
  );
}
