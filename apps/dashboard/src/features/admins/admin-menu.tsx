import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { selfQuery } from '../../api/queries';
import type { Admin } from '../../api/types';
import { IconDelete, IconDots, IconEdit, IconKey, IconPower, IconRefresh, IconShield } from '../../ui/icons';
import { useAdminActions } from './admin-actions';

interface Props {
  admin: Admin;
  onEdit: () => void;
  onAccess: () => void;
}

/** What can be done with an admin. */
export function AdminMenu({ admin, onEdit, onAccess }: Props) {
  const { t } = useTranslation();
  const actions = useAdminActions(admin);
  const { data: self } = useQuery(selfQuery);
  const { username, is_disabled: isDisabled } = admin;
  const items = [
    { text: t('common.edit'), icon: IconEdit, run: onEdit },
    { text: t('admins.access'), icon: IconKey, run: onAccess },
    { text: t('admins.reset'), icon: IconRefresh, run: actions.reset },
    // The own one is removed on the page of the account, with a code.
    ...(self?.username === username ? [] : [{ text: t('admins.resetTotp'), icon: IconShield, run: actions.resetTotp }]),
    { text: t('admins.disableUsers'), icon: IconPower, run: actions.disableUsers },
    { text: t('admins.enableUsers'), icon: IconPower, run: actions.enableUsers },
    { text: isDisabled ? t('common.enable') : t('common.disable'), icon: IconPower, run: actions.toggle },
  ];
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('users.actionsOf', { username })}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ text, icon: Icon, run }) => (
          <Menu.Item key={text} leftSection={<Icon size={16} />} onClick={run}>
            {text}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconDelete size={16} />} color="red.9" onClick={actions.remove}>
          {t('common.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
