import { Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  coresQuery,
  groupsQuery,
  healthQuery,
  hostsQuery,
  nodesQuery,
  selfQuery,
  statusFilterQuery,
} from '../../../api/queries';
import type { User } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/error-panel';
import { Notice } from '../../../ui/feedback/notice';
import { useUserActions } from '../user-actions';
import { fetchesQuery } from '../user-queries';
import type { Check } from './check';
import { CheckLine } from './check-line';
import { ClientPreview } from './client-preview';
import { diagnose } from './diagnose';
import classes from './why.module.css';

/** Why a user cannot connect: everything that must be right, in one list, with what to do about what is not. */
export function Why({ user, onEdit }: { user: User; onEdit: () => void }) {
  const { t } = useTranslation();
  const { data: self } = useQuery(selfQuery);
  const isSudo = self?.is_sudo === true;
  const groups = useQuery({ ...groupsQuery, enabled: isSudo });
  const hosts = useQuery({ ...hostsQuery, enabled: isSudo });
  const statusFilter = useQuery({ ...statusFilterQuery, enabled: isSudo });
  const health = useQuery({ ...healthQuery, enabled: isSudo });
  const nodes = useQuery({ ...nodesQuery, enabled: isSudo });
  const cores = useQuery({ ...coresQuery, enabled: isSudo });
  const fetches = useQuery(fetchesQuery(user.username));
  const actions = useUserActions(user.username);
  const facts = [groups, hosts, nodes, cores, fetches];
  if (isSudo && [...facts, statusFilter, health].some(({ isPending }) => isPending))
    return <Loader m="xl" aria-label={t('common.loading')} />;
  const failed = facts.find(({ error, data }) => error && !data);
  if (failed?.error) return <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />;
  const checks = diagnose({
    user,
    groups: groups.data?.groups,
    hosts: hosts.data,
    statusFilter: statusFilter.data ?? true,
    health: health.data,
    nodes: nodes.data,
    cores: cores.data?.cores,
    lastFetch: fetches.data && (fetches.data.updates[0]?.created_at ?? null),
  });
  const remedies = { enable: () => actions.toggle(user.status), edit: onEdit, reset: actions.reset };
  return (
    <Stack gap="sm">
      <Verdict checks={checks} />
      <ul className={classes.checks}>
        {checks.map((check) => (
          <CheckLine
            key={`${check.check} ${check.reason} ${check.values['name']}`}
            check={check}
            onRemedy={(remedy) => remedies[remedy]()}
          />
        ))}
      </ul>
      {fetches.data && (
        <ClientPreview user={user} seen={fetches.data.updates.map(({ user_agent }) => user_agent)} onEdit={onEdit} />
      )}
    </Stack>
  );
}

/** What all checks come to. Hosts that were never tried leave open whether clients reach them. */
function Verdict({ checks }: { checks: readonly Check[] }) {
  const { t } = useTranslation();
  const problems = checks.filter(({ verdict }) => verdict === 'bad').length;
  if (problems > 0)
    return (
      <Notice tone="bad" isAlert title={t('users.whyProblems', { count: problems })}>
        {t('users.whyProblemsText')}
      </Notice>
    );
  const isUntried = checks.some(({ reason }) => reason === 'untried');
  return (
    <Notice tone={isUntried ? 'info' : 'good'} isAlert title={isUntried ? t('users.whyUntried') : t('users.whyFine')}>
      {isUntried ? t('users.whyUntriedText') : t('users.whyFineText')}
    </Notice>
  );
}
