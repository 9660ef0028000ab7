import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import type { Node } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { notifyDone } from '../../ui/feedback/notify';
import { IconActivity, IconDelete, IconDots, IconEdit, IconKey, IconPower, IconRefresh } from '../../ui/icons';
import type { Enrolled } from './add-node';

interface Props {
  node: Node;
  onEdit: () => void;
  onLogs: () => void;
  onEnrolled: (enrolled: Enrolled) => void;
}

/** What can be done with a node. */
export function NodeMenu({ node: { id, name, status }, onEdit, onLogs, onEnrolled }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const params = { path: { node_id: id } };
  const refresh = () => client.invalidateQueries({ queryKey: ['nodes'] });
  const reconnect = useMutation({
    mutationFn: () => dataOf(api.POST('/api/node/{node_id}/reconnect', { params })),
    onSuccess: () => {
      notifyDone(t('nodes.reconnecting', { name }));
      return refresh();
    },
  });
  const isDisabled = status === 'disabled';
  const power = useMutation({
    mutationFn: () =>
      dataOf(api.PUT('/api/node/{node_id}', { params, body: { status: isDisabled ? 'connecting' : 'disabled' } })),
    onSuccess: refresh,
  });
  const enrol = useMutation({
    mutationFn: () => dataOf(api.POST('/api/node/{node_id}/enrol', { params })),
    onSuccess: onEnrolled,
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/node/{node_id}', { params })),
    onSuccess: refresh,
  });
  const ask = (title: string, text: string, action: string, onConfirm: () => void) =>
    confirm({ title, text, action, onConfirm });
  const askToSwitch = () =>
    isDisabled
      ? power.mutate()
      : ask(t('nodes.disableTitle', { name }), t('nodes.disableText'), t('common.disable'), power.mutate);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('users.actionsOf', { username: name })}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconEdit size={16} />} onClick={onEdit}>
          {t('common.edit')}
        </Menu.Item>
        <Menu.Item leftSection={<IconActivity size={16} />} onClick={onLogs}>
          {t('nodes.logs')}
        </Menu.Item>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => reconnect.mutate()}>
          {t('nodes.reconnect')}
        </Menu.Item>
        <Menu.Item leftSection={<IconPower size={16} />} onClick={askToSwitch}>
          {isDisabled ? t('common.enable') : t('common.disable')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKey size={16} />}
          onClick={() => ask(t('nodes.enrolTitle', { name }), t('nodes.enrolText'), t('nodes.enrol'), enrol.mutate)}
        >
          {t('nodes.enrol')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconDelete size={16} />}
          color="red.9"
          onClick={() =>
            ask(t('nodes.deleteTitle', { name }), t('nodes.deleteText'), t('common.delete'), remove.mutate)
          }
        >
          {t('common.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
