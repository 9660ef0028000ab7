import { Switch, type SwitchProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { tokensQuery } from './access-queries';

/** Offers to end the API tokens of an admin together with its logins, where there are any. */
export function RevokeTokens({ admin, ...props }: { admin: string } & SwitchProps) {
  const { t } = useTranslation();
  const { data } = useQuery(tokensQuery(admin));
  return data && data.total > 0 ? <Switch label={t('admins.revokeTokens', { count: data.total })} {...props} /> : null;
}
