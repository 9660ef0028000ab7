import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { groupsQuery, selfQuery } from '../../../api/queries';
import type { User } from '../../../api/types';
import { useFormat } from '../../../ui/i18n/format';
import { IconDelete, IconEdit, IconPower, IconRefresh } from '../../../ui/icons';
import { type Fact, Facts } from '../../../ui/list/facts';
import { LastOnline } from '../list/last-online';
import { NoGroupNotice } from '../no-group-notice';
import { UsageBar } from '../usage-bar';
import { useEnd } from '../use-end';
import { useUserActions } from '../user-actions';
import { LocalHostsNotice } from './local-hosts-notice';
import { SubscriptionCard } from './subscription-card';

interface Props {
  user: User;
  onEdit: () => void;
  onDeleted: () => void;
}

const DAY_SECONDS = 86_400;

/** The subscription of a user to hand out, its terms, and what can be done with it. */
export function UserOverview({ user, onEdit, onDeleted }: Props) {
  const { t } = useTranslation();
  const actions = useUserActions(user.username, onDeleted);
  const isDisabled = user.status === 'disabled';
  return (
    <Stack gap="lg">
      <NoGroupNotice user={user} onEdit={onEdit} />
      <LocalHostsNotice user={user} />
      <SubscriptionCard user={user} onRevoke={actions.revoke} />
      <UsageBar used={user.used_traffic} limit={user.data_limit} />
      <Facts facts={useFacts(user)} />
      <Group gap="xs">
        <Button leftSection={<IconEdit size={16} />} onClick={onEdit}>
          {t('common.edit')}
        </Button>
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={actions.reset}>
          {t('users.reset')}
        </Button>
        <Button variant="default" leftSection={<IconPower size={16} />} onClick={() => actions.toggle(user.status)}>
          {isDisabled ? t('common.enable') : t('common.disable')}
        </Button>
        <Button
          variant="default"
          c="light-dark(#a51f1f, #ffa8a8)"
          leftSection={<IconDelete size={16} />}
          onClick={actions.remove}
        >
          {t('common.delete')}
        </Button>
      </Group>
    </Stack>
  );
}

function useFacts(user: User): Fact[] {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: self } = useQuery(selfQuery);
  const { data } = useQuery({ ...groupsQuery, enabled: self?.is_sudo === true });
  const { expire, on_hold_expire_duration: hold } = user;
  const endOf = useEnd();
  const end = expire
    ? endOf(expire).join(' · ')
    : user.status === 'on_hold' && hold
      ? t('users.afterFirstUse', { count: Math.round(hold / DAY_SECONDS) })
      : t('users.never');
  const groups = user.group_ids.map((id) => data?.groups.find((group) => group.id === id)?.name ?? `#${id}`);
  return [
    { name: t('users.expires'), value: end },
    { name: t('users.groups'), value: groups.length > 0 ? <bdi>{groups.join(', ')}</bdi> : t('users.noGroups') },
    { name: t('users.online'), value: <LastOnline at={user.online_at} /> },
    { name: t('users.resetEvery'), value: t(`users.resets.${user.data_limit_reset_strategy}`) },
    { name: t('users.lifetime'), value: format.bytes(user.lifetime_used_traffic) },
    { name: t('users.created'), value: format.moment(user.created_at) },
    ...(user.admin ? [{ name: t('users.owner'), value: <bdi>{user.admin.username}</bdi> }] : []),
    ...(user.note ? [{ name: t('users.note'), value: <Text size="sm">{user.note}</Text> }] : []),
  ];
}
