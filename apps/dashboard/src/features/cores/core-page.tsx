import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorPanel } from '../../ui/feedback/error-panel';
import { CoreEditor } from './core-editor';
import { coreQuery } from './core-queries';

const route = getRouteApi('/app/cores/$id');

/** One core. It is read once: what others save meanwhile never replaces the text that is being edited. */
export function CorePage() {
  const { t } = useTranslation();
  const id = Number(route.useParams().id);
  const { data, error, refetch } = useQuery({ ...coreQuery(id), gcTime: 0 });
  if (error && !data) return <ErrorPanel error={error} retry={() => void refetch()} />;
  if (!data?.core) return <Loader m="xl" aria-label={t('common.loading')} />;
  return (
    <CoreEditor key={`${id} ${data.version}`} core={data.core} version={data.version} onReload={() => void refetch()} />
  );
}
