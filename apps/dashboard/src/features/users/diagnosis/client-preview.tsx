import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../api/types';
import { QueryView } from '../../../ui/list/query-view';
import { ClientSelect } from '../../../ui/preview/client-select';
import { PreviewResult } from '../../../ui/preview/preview-result';
import { NoGroupNotice } from '../no-group-notice';
import { previewQuery } from '../user-queries';

interface Props {
  user: User;
  /** What has fetched the subscription, the last first. */
  seen: readonly string[];
  onEdit: () => void;
}

/** What a client of this user gets; the first choice is the one that fetched last. */
export function ClientPreview({ user, seen, onEdit }: Props) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const client = chosen ?? seen.find((agent) => agent !== '') ?? 'v2rayng';
  const preview = useQuery(previewQuery(user.username, client));
  return (
    <Stack gap="sm" component="section">
      <Title order={3} size="h5">
        {t('preview.title')}
      </Title>
      <NoGroupNotice user={user} onEdit={onEdit} />
      <ClientSelect value={client} onChange={setChosen} seen={seen} />
      <QueryView query={preview}>{(data) => <PreviewResult preview={data} />}</QueryView>
    </Stack>
  );
}
