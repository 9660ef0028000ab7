import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import type { Host } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { IconArrowDown, IconArrowUp, IconDelete, IconEdit } from '../../ui/icons';
import { RowActions } from '../../ui/list/row-actions';

interface Props {
  host: Host;
  onEdit: () => void;
  /** undefined: it is the first, or the last. */
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
}

/** What can be done with a host. */
export function HostActions({ host: { id, remark, version }, onEdit, onUp, onDown }: Props) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/api/host/{host_id}', { params: { path: { host_id: id }, header: { 'if-match': version } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['hosts'] }),
  });
  const ask = () =>
    confirm({
      title: t('hosts.deleteTitle', { name: remark }),
      text: t('hosts.deleteText'),
      action: t('common.delete'),
      onConfirm: remove.mutate,
    });
  const actions = [
    { label: t('hosts.up'), icon: IconArrowUp, run: onUp },
    { label: t('hosts.down'), icon: IconArrowDown, run: onDown },
    { label: t('common.edit'), icon: IconEdit, run: onEdit },
    { label: t('common.delete'), icon: IconDelete, run: ask },
  ];
  return <RowActions name={remark} actions={actions} />;
}
