import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { groupsQuery, hostsQuery, selfQuery, statusFilterQuery } from '../../../api/queries';
import type { User } from '../../../api/types';
import { Notice } from '../../../ui/feedback/notice';
import { localHosts } from './local-hosts';

/** Names the hosts of a user that no other machine reaches. Only sudo admins see hosts. */
export function LocalHostsNotice({ user }: { user: User }) {
  const { t } = useTranslation();
  const { data: self } = useQuery(selfQuery);
  const enabled = self?.is_sudo === true;
  const { data: groups } = useQuery({ ...groupsQuery, enabled });
  const { data: hosts } = useQuery({ ...hostsQuery, enabled });
  const { data: statusFilter = true } = useQuery({ ...statusFilterQuery, enabled });
  const local = localHosts(user, groups?.groups ?? [], hosts ?? [], statusFilter);
  if (local.length === 0) return null;
  return (
    <Notice tone="warning" title={<bdi>{local.map(({ remark }) => remark).join(', ')}</bdi>}>
      <div>{t('users.hostsOnlyHere')}</div>
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/hosts" />}>
        {t('nav.hosts')}
      </Anchor>
    </Notice>
  );
}
