import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { groupsQuery, selfQuery, templatesQuery } from '../../api/queries';
import type { Template } from '../../api/types';
import { EmptyState } from '../../ui/feedback/empty-state';
import { daysOf } from '../../ui/form/units';
import { useFormat } from '../../ui/i18n/format';
import { IconPlus } from '../../ui/icons';
import { QueryView } from '../../ui/list/query-view';
import { SimpleTable } from '../../ui/list/simple-table';
import { StatusBadge } from '../../ui/list/status-badge';
import { Page } from '../../ui/page';
import { useShortcuts } from '../../ui/shortcuts/shortcuts';
import { TemplateActions } from './template-actions';
import { TemplateForm } from './template-form';

/** The templates: terms under a name, from which users are created. */
export function TemplatesPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const templates = useQuery(templatesQuery);
  const { data: self } = useQuery(selfQuery);
  const { data: groups } = useQuery(groupsQuery);
  const [edited, setEdited] = useState<Template | 'new'>();
  const create = () => setEdited('new');
  useShortcuts(self?.is_sudo ? [{ keys: 'n', label: t('templates.create'), run: create }] : []);
  const button = self?.is_sudo && (
    <Button leftSection={<IconPlus size={16} />} onClick={create}>
      {t('templates.create')}
    </Button>
  );
  const columns = [
    {
      id: 'name',
      header: t('users.name'),
      cell: ({ name, username_prefix: prefix, username_suffix: suffix }: Template) => (
        <>
          <strong>
            <bdi>{name}</bdi>
          </strong>
          {(prefix || suffix) && <div dir="ltr">{`${prefix ?? ''}…${suffix ?? ''}`}</div>}
        </>
      ),
    },
    { id: 'terms', header: t('templates.terms'), cell: (template: Template) => <Terms template={template} /> },
    {
      id: 'groups',
      header: t('nav.groups'),
      isWide: true,
      cell: ({ group_ids }: Template) => (
        <bdi>{group_ids.map((id) => groups?.groups.find((one) => one.id === id)?.name ?? `#${id}`).join(', ')}</bdi>
      ),
    },
    {
      id: 'state',
      header: t('users.statusLabel'),
      isWide: true,
      cell: ({ is_disabled: off }: Template) => (
        <StatusBadge tone={off ? 'quiet' : 'good'}>{off ? t('common.disabled') : t('common.enabled')}</StatusBadge>
      ),
    },
    {
      id: 'menu',
      header: t('common.actions'),
      cell: (template: Template) => <TemplateActions template={template} onEdit={() => setEdited(template)} />,
    },
  ];
  return (
    <Page title={t('nav.templates')} note={templates.data && format.number(templates.data.length)} actions={button}>
      <QueryView query={templates}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={t('templates.emptyTitle')} text={t('templates.emptyText')}>
              {button}
            </EmptyState>
          ) : (
            <SimpleTable label={t('nav.templates')} rows={list} rowKey={({ id }) => id} columns={columns} />
          )
        }
      </QueryView>
      {edited && <TemplateForm template={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

function Terms({
  template: { data_limit, expire_duration, data_limit_reset_strategy, status },
}: {
  template: Template;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const time =
    expire_duration > 0 ? t('users.inDays', { count: Number(daysOf(expire_duration)) }) : t('templates.noEnd');
  return (
    <>
      <bdi>{data_limit > 0 ? format.bytes(data_limit) : t('users.unlimited')}</bdi> · {time}
      {status === 'on_hold' && (
        <div>
          {t('templates.runs')}: {t('templates.begins.on_hold')}
        </div>
      )}
      {data_limit_reset_strategy !== 'no_reset' && (
        <div>
          {t('users.resetEvery')}: {t(`users.resets.${data_limit_reset_strategy}`)}
        </div>
      )}
    </>
  );
}
