import { Button, Group, MultiSelect, NumberInput, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminsQuery, groupsQuery, selfQuery } from '../../../api/queries';
import { Dialog } from '../../../ui/dialog/dialog';
import { ErrorPanel } from '../../../ui/feedback/error-panel';
import { Notice } from '../../../ui/feedback/notice';
import {
  BULK_ACTIONS,
  type BulkAction,
  type BulkScope,
  type BulkTerms,
  callBulk,
  isComplete,
  targetOfScope,
} from './bulk-call';
import { useBulkRun } from './use-bulk-run';

interface Props {
  scope: BulkScope;
  /** How many users these are. */
  count: number;
  onClose: () => void;
  onDone: () => void;
}

const TYPING_MS = 300;

/** A change of many users. Before it is made, the API says how many it would change. */
export function BulkDialog({ scope, count, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const { data: self } = useQuery(selfQuery);
  const { data: groups } = useQuery(groupsQuery);
  const { data: admins } = useQuery({ ...adminsQuery, enabled: self?.is_sudo === true });
  const [terms, setTerms] = useState<BulkTerms>({ action: 'expire', amount: '', group_ids: [] });
  const set = (next: Partial<BulkTerms>) => setTerms({ ...terms, ...next });
  const [settled] = useDebouncedValue(terms, TYPING_MS);
  // Admins are filtered by their names, but the API wants their ids.
  const isWaiting = scope.changes === 'all' && scope.filter.admin !== undefined && admins === undefined;
  const preview = useQuery({
    // No part of `users`: events would count again each second.
    queryKey: ['bulk-preview', { settled, scope }],
    queryFn: async ({ signal }) => {
      const ids = new Map(admins?.map(({ id, username }) => [username, id]));
      const target = targetOfScope(scope, ids);
      return { target, affected: (await callBulk(settled, target, true, signal)) ?? 0 };
    },
    enabled: isComplete(settled) && !isWaiting,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const affected = preview.data?.affected ?? 0;
  const run = useBulkRun(scope, count, () => {
    onDone();
    onClose();
  });
  const isCurrent = terms === settled && isComplete(terms) && preview.isSuccess && !preview.isPlaceholderData;
  const { action } = terms;
  return (
    <Dialog onClose={onClose} title={t(scope.changes === 'all' ? 'bulk.all' : 'bulk.title', { count })}>
      <Stack gap="md">
        <Select
          label={t('bulk.action')}
          data={BULK_ACTIONS.map((value) => ({ value, label: t(`bulk.actions.${value}`) }))}
          value={action}
          onChange={(next) => set({ action: next as BulkAction, amount: '' })}
          allowDeselect={false}
        />
        {action === 'expire' || action === 'data_limit' ? (
          <NumberInput
            label={t(`bulk.amounts.${action}`)}
            description={t(`bulk.amountHints.${action}`)}
            data-autofocus
            value={terms.amount}
            onChange={(amount) => set({ amount: amount === '' ? '' : Number(amount) })}
          />
        ) : (
          <MultiSelect
            label={t('users.groups')}
            data={groups?.groups.map(({ id, name }) => ({ value: `${id}`, label: name })) ?? []}
            value={terms.group_ids}
            onChange={(group_ids) => set({ group_ids })}
            searchable
          />
        )}
        {preview.error && <ErrorPanel error={preview.error} />}
        {isCurrent && (
          <Notice tone={affected > 0 ? 'info' : 'quiet'} isAlert title={t('bulk.affected', { count: affected })}>
            {affected < count && t('bulk.unaffected', { count: count - affected })}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            disabled={!isCurrent || affected === 0}
            loading={run.isPending}
            onClick={() => preview.data && run.mutate({ terms: settled, ...preview.data })}
          >
            {isCurrent && affected > 0 ? t('bulk.run', { count: affected }) : t('bulk.change')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
