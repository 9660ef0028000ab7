import { Button, Group, Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { coresQuery, groupsQuery, hostsQuery, nodesQuery, selfQuery } from '../../../api/queries';
import type { User } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/error-panel';
import { Notice } from '../../../ui/feedback/notice';
import { useFormat } from '../../../ui/i18n/format';
import { wordsOf } from '../../../ui/i18n/words';
import { IconAlert, IconCheck, IconClose, IconHelp } from '../../../ui/icons';
import { useUserActions } from '../user-actions';
import { fetchesQuery } from '../user-queries';
import { ClientPreview } from './client-preview';
import { type Check, diagnose, type Remedy, type Verdict } from './diagnose';
import classes from './why.module.css';

const ICONS: Readonly<Record<Verdict, typeof IconCheck>> = {
  ok: IconCheck,
  bad: IconClose,
  warning: IconAlert,
  unknown: IconHelp,
};

/** Why a user cannot connect: everything that must be right, in one list, with what to do about what is not. */
export function Why({ user, onEdit }: { user: User; onEdit: () => void }) {
  const { t } = useTranslation();
  const { data: self } = useQuery(selfQuery);
  const isSudo = self?.is_sudo === true;
  const groups = useQuery({ ...groupsQuery, enabled: isSudo });
  const hosts = useQuery({ ...hostsQuery, enabled: isSudo });
  const nodes = useQuery({ ...nodesQuery, enabled: isSudo });
  const cores = useQuery({ ...coresQuery, enabled: isSudo });
  const fetches = useQuery(fetchesQuery(user.username));
  const actions = useUserActions(user.username);
  const facts = [groups, hosts, nodes, cores, fetches];
  if (isSudo && facts.some(({ isPending }) => isPending)) return <Loader m="xl" aria-label={t('common.loading')} />;
  const failed = facts.find(({ error, data }) => error && !data);
  if (failed?.error) return <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />;
  const checks = diagnose({
    user,
    groups: groups.data?.groups,
    hosts: hosts.data,
    nodes: nodes.data,
    cores: cores.data?.cores,
    lastFetch: fetches.data && (fetches.data.updates[0]?.created_at ?? null),
  });
  const remedies = { enable: () => actions.toggle(user.status), edit: onEdit, reset: actions.reset };
  const problems = checks.filter(({ verdict }) => verdict === 'bad').length;
  return (
    <Stack gap="sm">
      <Notice
        tone={problems > 0 ? 'bad' : 'good'}
        isAlert
        title={problems > 0 ? t('users.whyProblems', { count: problems }) : t('users.whyFine')}
      >
        {problems > 0 ? t('users.whyProblemsText') : t('users.whyFineText')}
      </Notice>
      <ul className={classes.checks}>
        {checks.map((check) => (
          <CheckLine key={check.check} check={check} onRemedy={(remedy) => remedies[remedy]()} />
        ))}
      </ul>
      {fetches.data && (
        <ClientPreview username={user.username} seen={fetches.data.updates.map(({ user_agent }) => user_agent)} />
      )}
    </Stack>
  );
}

const REMEDY_WORDS = { enable: 'common.enable', edit: 'common.edit', reset: 'users.reset' } as const;

function CheckLine({ check: line, onRemedy }: { check: Check; onRemedy: (remedy: Remedy) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { check, verdict, reason, values, remedies } = line;
  const Icon = ICONS[verdict];
  const shown = {
    ...values,
    ...(values['at'] && { at: format.relative(values['at']) }),
    ...(values['status'] && { status: wordsOf(`users.status.${values['status']}`) ?? values['status'] }),
  };
  const sentence =
    reason === 'follows' ? t('users.follows') : wordsOf(`users.checks.${check}.${reason ?? verdict}`, shown);
  return (
    <li className={classes.check} data-verdict={verdict}>
      <Icon size={18} aria-label={t(`users.verdicts.${verdict}`)} />
      <div>
        <strong>{t(`users.checks.${check}.title`)}</strong>
        <div>{sentence ?? t('users.notVisible')}</div>
        {remedies && (
          <Group gap="xs" mt={6}>
            {remedies.map((remedy) => (
              <Button key={remedy} size="compact-sm" variant="default" onClick={() => onRemedy(remedy)}>
                {t(REMEDY_WORDS[remedy])}
              </Button>
            ))}
          </Group>
        )}
      </div>
    </li>
  );
}
