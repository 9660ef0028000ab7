import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error';
import { api, dataOf } from '../../api/client';
import type { Core } from '../../api/types';
import { notifyDone, notifyError } from '../../ui/feedback/notify';

interface Draft {
  name: string;
  config: string;
  privateNetworks: string[];
  /** Whether nodes take the configuration over at once. */
  restart: boolean;
  /** Whether it replaces what somebody else has saved since this draft was begun. */
  isForced?: boolean;
}

/** Saves a core, unless somebody else has saved it since this draft was begun. */
export function useSaveCore(core: Core, version: string | null, onSaved: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    meta: { isShown: true },
    mutationFn: ({ name, config, privateNetworks, restart, isForced }: Draft) =>
      dataOf(
        api.PUT('/api/core/{core_id}', {
          params: {
            path: { core_id: core.id },
            query: { restart_nodes: restart },
            ...(version !== null && !isForced && { header: { 'if-match': version } }),
          },
          body: {
            name,
            config,
            exclude_inbound_tags: core.exclude_inbound_tags,
            fallbacks_inbound_tags: core.fallbacks_inbound_tags,
            private_networks: privateNetworks,
          },
        }),
      ),
    onError: (error) => {
      if (ApiError.from(error).status !== 412) notifyError(error);
    },
    onSuccess: async (_, { restart }) => {
      notifyDone(restart ? t('cores.savedAndRestarted') : t('cores.saved'));
      await Promise.all(['inbounds', 'nodes', 'cores'].map((name) => client.invalidateQueries({ queryKey: [name] })));
      onSaved();
    },
  });
}
