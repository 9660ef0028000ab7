import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { NodeMessage } from '../../api/node-message';
import { Notice } from '../../ui/feedback/notice';

/** The name in an e-mail of the engine, `7.ali`, which begins with the id of the user. */
const nameOf = (user: string): string => user.replace(/^\d+\./, '');

/** The users whom a node does not accept, each with the reason and the way to the user. */
export function RefusedUsers({ refused, unnamed }: Pick<NodeMessage, 'refused' | 'unnamed'>) {
  const { t } = useTranslation();
  if (refused.length + unnamed === 0) return null;
  return (
    <Notice tone="warning" title={t('nodes.refused', { count: refused.length + unnamed })}>
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {refused.map(({ user, reason }) => (
          <li key={user}>
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/users/$username" params={{ username: nameOf(user) }} />}
            >
              <bdi>{nameOf(user)}</bdi>
            </Anchor>
            : <bdi dir="ltr">{reason}</bdi>
          </li>
        ))}
      </ul>
      {unnamed > 0 && t('nodes.refusedMore', { count: unnamed })}
    </Notice>
  );
}
