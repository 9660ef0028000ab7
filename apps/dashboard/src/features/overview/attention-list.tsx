import { Anchor, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { healthQuery, nodesQuery } from '../../api/queries';
import { Notice } from '../../ui/feedback/notice';
import { type AttentionItem, attentionItems } from './attention-items';

const SHOWN = 4;
const PAGE = { '/nodes': 'nodes', '/hosts': 'hosts', '/cores': 'cores' } as const;

/** Nodes and hosts that need attention as it happens, each with the way to its page. */
export function AttentionList() {
  const { t } = useTranslation();
  const { data: nodes } = useQuery(nodesQuery);
  const { data: hosts } = useQuery(healthQuery);
  const items = attentionItems(nodes ?? [], hosts ?? [], Date.now());
  const line = (item: AttentionItem) => <Item key={item.id} {...item} />;
  if (items.length === 0) return null;
  return (
    <Stack gap="sm" component="section">
      <Title order={2} size="h4">
        {t('overview.attention')}
      </Title>
      {items.slice(0, SHOWN).map(line)}
      {items.length > SHOWN && (
        <details>
          <summary>{t('overview.more', { count: items.length - SHOWN })}</summary>
          <Stack gap="sm" mt="sm">
            {items.slice(SHOWN).map(line)}
          </Stack>
        </details>
      )}
    </Stack>
  );
}

function Item({ kind, tone, values, detail, to }: AttentionItem) {
  const { t } = useTranslation();
  return (
    <Notice tone={tone} title={t(`overview.items.${kind}`, values as { name: string; count: number })}>
      {detail && <div dir="ltr">{detail}</div>}
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to={to} />}>
        {t(`nav.${PAGE[to]}`)}
      </Anchor>
    </Notice>
  );
}
