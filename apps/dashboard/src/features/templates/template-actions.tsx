import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../api/client';
import { selfQuery } from '../../api/queries';
import type { Template } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { IconDelete, IconEdit, IconUserPlus } from '../../ui/icons';
import { RowActions } from '../../ui/list/row-actions';

/** What can be done with a template; only sudo admins may change it. */
export function TemplateActions({ template, onEdit }: { template: Template; onEdit: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: self } = useQuery(selfQuery);
  const { id, name, version, is_disabled: isDisabled } = template;
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/api/user_template/{template_id}', {
          params: { path: { template_id: id }, header: { 'if-match': version } },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ['templates'] }),
  });
  const create = () => void navigate({ to: '/users', search: { create: true, template: id } });
  const ask = () =>
    confirm({
      title: t('groups.deleteTitle', { name }),
      text: t('templates.deleteText'),
      action: t('common.delete'),
      onConfirm: remove.mutate,
    });
  const actions = [
    { label: t('users.create'), icon: IconUserPlus, run: isDisabled ? undefined : create },
    ...(self?.is_sudo
      ? [
          { label: t('common.edit'), icon: IconEdit, run: onEdit },
          { label: t('common.delete'), icon: IconDelete, run: ask },
        ]
      : []),
  ];
  return <RowActions name={name} actions={actions} />;
}
