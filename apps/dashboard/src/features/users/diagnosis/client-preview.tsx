import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryView } from '../../../ui/list/query-view';
import { ClientSelect } from '../../../ui/preview/client-select';
import { PreviewResult } from '../../../ui/preview/preview-result';
import { previewQuery } from '../user-queries';

/** What a client of this user gets; the first choice is the one that fetched last. */
export function ClientPreview({ username, seen }: { username: string; seen: readonly string[] }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string>();
  const client = chosen ?? seen.find((agent) => agent !== '') ?? 'v2rayng';
  const preview = useQuery(previewQuery(username, client));
  return (
    <Stack gap="sm" component="section">
      <Title order={3} size="h5">
        {t('preview.title')}
      </Title>
      <ClientSelect value={client} onChange={setChosen} seen={seen} />
      <QueryView query={preview}>{(data) => <PreviewResult preview={data} />}</QueryView>
    </Stack>
  );
}
