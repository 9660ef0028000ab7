import { Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconDelete, IconEdit, IconHelp, IconPower, IconQr, IconRefresh } from '../../../ui/icons';
import { useUserActions } from '../user-actions';
import type { UserRow } from './user-row';

interface Props {
  user: UserRow;
  /** The button of the menu. */
  children: ReactElement;
}

/** What can be done with a user, in the menu of its row, which opens as soon as it is here. */
export function OpenUserMenu({ user: { username, status }, children }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const actions = useUserActions(username);
  const [isOpen, setOpen] = useState(false);
  // A menu gives the focus back to its button only where it has seen it opened.
  useEffect(() => setOpen(true), []);
  const open = (tab?: 'why', edit?: boolean) =>
    void navigate({
      to: '/users/$username',
      params: { username },
      search: (now) => ({ ...now, ...(tab && { tab }), ...(edit && { edit }) }),
    });
  const isDisabled = status === 'disabled';
  return (
    <Menu opened={isOpen} onChange={setOpen}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconQr size={16} />} onClick={() => open()}>
          {t('users.showQr')}
        </Menu.Item>
        <Menu.Item leftSection={<IconEdit size={16} />} onClick={() => open(undefined, true)}>
          {t('common.edit')}
        </Menu.Item>
        <Menu.Item leftSection={<IconHelp size={16} />} onClick={() => open('why')}>
          {t('users.why')}
        </Menu.Item>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={actions.reset}>
          {t('users.reset')}
        </Menu.Item>
        <Menu.Item leftSection={<IconPower size={16} />} onClick={() => actions.toggle(status)}>
          {isDisabled ? t('common.enable') : t('common.disable')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconDelete size={16} />} color="red.9" onClick={actions.remove}>
          {t('common.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
