import { Switch, type SwitchProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '../../../api/queries';
import { tokensQuery } from './access-queries';

/**
 * Offers to end the API tokens of an admin together with its logins, where there are any. Whoever still has to set up the second
 * factor may not see them.
 */
export function RevokeTokens({ admin, ...props }: { admin: string } & SwitchProps) {
  const { t } = useTranslation();
  const { data: self } = useQuery(selfQuery);
  const { data } = useQuery({ ...tokensQuery(admin), enabled: self?.must_set_up_totp === false });
  return data && data.total > 0 ? <Switch label={t('admins.revokeTokens', { count: data.total })} {...props} /> : null;
}
