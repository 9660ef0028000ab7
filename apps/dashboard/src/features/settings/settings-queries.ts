import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, versionedDataOf } from '../../api/client';
import { statusFilterQuery } from '../../api/queries';
import type { ProbeSettings, Settings, SubscriptionSettings } from '../../api/types';
import { notifyDone } from '../../ui/feedback/notify';

export type StoredSettings = Settings & { version: string };
export type StoredProbes = ProbeSettings & { version: string };

/** The version of settings stands in the header of an answer alone. */
async function versioned<T extends object>(
  answer: Parameters<typeof versionedDataOf<T>>[0],
): Promise<T & { version: string }> {
  const { data, version } = await versionedDataOf(answer);
  return { ...data, version: version ?? '' };
}

/** Settings are read when the page is opened: what others save meanwhile never replaces a draft. */
const FOR_DRAFTS = { staleTime: 'static', gcTime: 0 } as const;

export const settingsQuery = queryOptions({
  queryKey: ['settings', 'all'],
  queryFn: ({ signal }) => versioned(api.GET('/api/settings', { signal })),
  ...FOR_DRAFTS,
});

export const probesQuery = queryOptions({
  queryKey: ['settings', 'probes'],
  queryFn: ({ signal }) => versioned(api.GET('/api/settings/probes', { signal })),
  ...FOR_DRAFTS,
});

type Header = { 'if-match'?: string };

/** Replaces members of the section of subscriptions; its other members stay as they are stored. */
export const saveSubscription = (
  changes: Partial<SubscriptionSettings>,
  header: Header,
  stored: StoredSettings | undefined,
): Promise<StoredSettings> =>
  versioned(
    api.PUT('/api/settings', { params: { header }, body: { subscription: { ...stored?.subscription, ...changes } } }),
  );

export const saveGeneral = (general: Settings['general'], header: Header): Promise<StoredSettings> =>
  versioned(api.PUT('/api/settings', { params: { header }, body: { general } }));

export const saveProbes = (body: ProbeSettings, header: Header): Promise<StoredProbes> =>
  versioned(api.PUT('/api/settings/probes', { params: { header }, body }));

/** Shows settings as they were saved. */
export function useShowSaved() {
  const { t } = useTranslation();
  const client = useQueryClient();
  return {
    settings: (saved: StoredSettings) => {
      client.setQueryData(settingsQuery.queryKey, saved);
      void client.invalidateQueries({ queryKey: statusFilterQuery.queryKey });
      notifyDone(t('settings.saved'));
    },
    probes: (saved: StoredProbes) => {
      client.setQueryData(probesQuery.queryKey, saved);
      notifyDone(t('settings.saved'));
    },
  };
}
