import { Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { adminsQuery } from '../../api/queries';
import { IconSearch } from '../../ui/icons';
import { ACTIONS, actionWords, actorWords, KINDS } from './audit-actions';

export interface AuditFilterValues {
  text: string;
  action: string | null;
  actor: string | null;
}

interface Props {
  values: AuditFilterValues;
  onChange: (values: AuditFilterValues) => void;
}

/** The actors that are no admins; nobody is `(unauthenticated)` but failed logins. */
const OTHER_ACTORS = ['system', 'local', '(unauthenticated)'];

/** What the log of changes is searched for: an object by its name, what was done, and who did it. */
export function AuditFilter({ values, onChange }: Props) {
  const { t } = useTranslation();
  const { data } = useQuery(adminsQuery);
  const names = [...new Set(data?.map(({ username }) => username))];
  const actors = [
    ...names.map((name) => ({ value: name, label: name })),
    ...OTHER_ACTORS.filter((actor) => !names.includes(actor)).map((actor) => ({
      value: actor,
      label: actorWords({ actor, actor_id: null }),
    })),
  ];
  const actions = KINDS.map((kind) => ({
    group: t(`audit.kinds.${kind}`),
    items: [
      ...(ACTIONS[kind].length > 1 ? [{ value: kind, label: t('audit.all', { kind: t(`audit.kinds.${kind}`) }) }] : []),
      ...ACTIONS[kind].map((verb) => ({ value: `${kind}.${verb}`, label: actionWords(`${kind}.${verb}`) })),
    ],
  }));
  return (
    <Group gap="sm">
      <TextInput
        flex="2 1 220px"
        maw={420}
        leftSection={<IconSearch size={16} />}
        value={values.text}
        onChange={(event) => onChange({ ...values, text: event.currentTarget.value })}
        aria-label={t('audit.filter')}
        placeholder={t('audit.filter')}
        dir="auto"
      />
      <Select
        flex="1 1 180px"
        maw={320}
        data={actions}
        value={values.action}
        onChange={(action) => onChange({ ...values, action })}
        aria-label={t('audit.action')}
        placeholder={t('audit.anyAction')}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('common.clear') }}
      />
      <Select
        flex="1 1 140px"
        maw={240}
        data={actors}
        value={values.actor}
        onChange={(actor) => onChange({ ...values, actor })}
        aria-label={t('audit.actor')}
        placeholder={t('audit.anyActor')}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('common.clear') }}
      />
    </Group>
  );
}
