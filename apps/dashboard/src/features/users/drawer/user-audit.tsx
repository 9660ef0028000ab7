import { Anchor, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { changedNames } from '../../../api/changed-names';
import { EmptyState } from '../../../ui/feedback/empty-state';
import { useFormat } from '../../../ui/i18n/format';
import { wordsOf } from '../../../ui/i18n/words';
import { QueryView } from '../../../ui/list/query-view';
import { userAuditQuery } from '../user-queries';

/** Who changed this user: the last changes, with what was before and after. */
export function UserAudit({ username }: { username: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const log = useQuery(userAuditQuery(username));
  return (
    <QueryView query={log}>
      {({ entries, next }) =>
        entries.length === 0 ? (
          <EmptyState title={t('users.noChangesTitle')} text={t('users.noChangesText')} />
        ) : (
          <Stack gap="sm">
            {entries.map(({ id, at, actor, action, difference }) => (
              <div key={id}>
                <Text size="sm" fw={600}>
                  <bdi>{wordsOf(`audit.actions.${action}`) ?? action}</bdi>
                </Text>
                <Text size="sm">
                  <bdi dir="ltr">{changedNames({ action, difference }).join(', ')}</bdi>
                </Text>
                <Text size="xs" c="var(--quiet)">
                  <bdi>{actor}</bdi> · {format.moment(at)} · {format.relative(at)}
                </Text>
                {Object.keys(difference).length > 0 && (
                  <details>
                    <summary>{t('audit.difference')}</summary>
                    <Code block dir="ltr" mah={240} tabIndex={0} style={{ overflow: 'auto' }}>
                      {JSON.stringify(difference, null, 2)}
                    </Code>
                  </details>
                )}
              </div>
            ))}
            {next !== null && (
              <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/audit" />}>
                {t('users.allChanges')}
              </Anchor>
            )}
          </Stack>
        )
      }
    </QueryView>
  );
}
