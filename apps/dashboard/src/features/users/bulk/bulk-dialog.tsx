import { Button, Group, MultiSelect, NumberInput, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminsQuery, groupsQuery, selfQuery } from '../../../api/queries';
import { Dialog } from '../../../ui/dialog/dialog';
import { ErrorPanel } from '../../../ui/feedback/error-panel';
import { Notice } from '../../../ui/feedback/notice';
import { notifyDone } from '../../../ui/feedback/notify';
import { useFormat } from '../../../ui/i18n/format';
import type { UserSearch } from '../user-search';
import { BULK_ACTIONS, type BulkAction, type BulkTerms, callBulk, isComplete, targetOf } from './bulk-call';

interface Props {
  /** Those who are selected; empty: all of the list. */
  selected: readonly number[];
  search: UserSearch;
  /** How many users these are. */
  count: number;
  onClose: () => void;
  onDone: () => void;
}

const TYPING_MS = 300;

/** A change of many users. Before it is made, the API says how many it would change. */
export function BulkDialog({ selected, search, count, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const { data: self } = useQuery(selfQuery);
  const { data: groups } = useQuery(groupsQuery);
  const { data: admins } = useQuery({ ...adminsQuery, enabled: self?.is_sudo === true });
  const [terms, setTerms] = useState<BulkTerms>({ action: 'expire', amount: '', group_ids: [] });
  const set = (next: Partial<BulkTerms>) => setTerms({ ...terms, ...next });
  const [settled] = useDebouncedValue(terms, TYPING_MS);
  const preview = useQuery({
    // No part of `users`: events would count again each second.
    queryKey: ['bulk-preview', { settled, selected, search }],
    queryFn: async ({ signal }) => {
      const ids = new Map(admins?.map(({ id, username }) => [username, id]));
      const target = selected.length > 0 ? { users: [...selected] } : targetOf(search, ids);
      return { target, affected: (await callBulk(settled, target, true, signal)) ?? 0 };
    },
    enabled: isComplete(settled) && (search.admin === undefined || admins !== undefined),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const run = useMutation({
    mutationFn: () => callBulk(settled, preview.data?.target ?? { users: [] }, false),
    onSuccess: () => {
      notifyDone(t('bulk.done'));
      onDone();
      onClose();
      return client.invalidateQueries({ queryKey: ['users'] });
    },
  });
  const isCurrent = terms === settled && isComplete(terms) && preview.isSuccess && !preview.isPlaceholderData;
  const affected = preview.data?.affected ?? 0;
  const isAmount = terms.action === 'expire' || terms.action === 'data_limit';
  return (
    <Dialog onClose={onClose} title={t('bulk.title', { count })}>
      <Stack gap="md">
        <Select
          label={t('bulk.action')}
          data={BULK_ACTIONS.map((value) => ({ value, label: t(`bulk.actions.${value}`) }))}
          value={terms.action}
          onChange={(action) => set({ action: action as BulkAction, amount: '' })}
          allowDeselect={false}
        />
        {isAmount ? (
          <NumberInput
            label={t(`bulk.amounts.${terms.action === 'expire' ? 'expire' : 'data_limit'}`)}
            description={t('bulk.amountHint')}
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
            {t('bulk.unaffected', { total: format.number(count) })}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button disabled={!isCurrent || affected === 0} loading={run.isPending} onClick={() => run.mutate()}>
            {isCurrent && affected > 0 ? t('bulk.run', { count: affected }) : t('bulk.change')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
