import { Menu } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { selfQuery } from '../../api/queries';
import { IconMenu } from '../../ui/icon-menu';
import { IconHelp, IconLogout, IconUser } from '../../ui/icons';

/** Who is logged in, and the way out. */
export function AccountMenu({ onKeys }: { onKeys: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: self } = useQuery(selfQuery);
  const logout = useMutation({
    mutationFn: () => api.DELETE('/api/admin/session'),
    onSuccess: () => client.resetQueries(),
  });
  return (
    <IconMenu label={t('shell.account')} icon={IconUser}>
      <Menu.Label c="var(--quiet)">
        <bdi>{self?.username}</bdi> · {self?.is_sudo ? t('shell.sudo') : t('shell.admin')}
      </Menu.Label>
      <Menu.Item leftSection={<IconUser size={16} />} renderRoot={(props) => <Link {...props} to="/account" />}>
        {t('shell.account')}
      </Menu.Item>
      <Menu.Item leftSection={<IconHelp size={16} />} onClick={onKeys}>
        {t('shell.keys')}
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => logout.mutate()}>
        {t('shell.logout')}
      </Menu.Item>
    </IconMenu>
  );
}
