import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listUsers } from '../../../api/list-users';
import { notifyDone, notifyUndo } from '../../../ui/feedback/notify';
import { type BulkScope, type BulkTarget, type BulkTerms, callBulk } from './bulk-call';
import { doneWords } from './done-words';
import { callForEach, isWhole, type MembershipChange, membershipChanges } from './undo';

/** So many names fit into the address of a request. */
const NAMES = 50;

interface Order {
  terms: BulkTerms;
  target: BulkTarget;
  /** How many users it would change, as the API has said before. */
  affected: number;
}

/** Makes a change of many users. A change of the groups of selected users can be undone, because each of them is known. */
export function useBulkRun(scope: BulkScope, count: number, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ['users'] });
  const goBack = useMutation({
    mutationFn: async ({ terms, changes }: { terms: BulkTerms; changes: readonly MembershipChange[] }) => {
      const action = terms.action === 'add_groups' ? 'remove_groups' : 'add_groups';
      // A group may have been deleted meanwhile; the others go back all the same.
      await callForEach(changes, ({ group, users }) =>
        callBulk({ ...terms, action, group_ids: [`${group}`] }, { users }, false),
      );
    },
    onSuccess: () => notifyDone(t('bulk.undone')),
    onSettled: refresh,
  });
  return useMutation({
    mutationFn: async ({ terms, target }: Order) => {
      const changes = await changesOf(terms, scope);
      const changed = await callBulk(terms, target, false);
      return { changed, changes: isWhole(changes, changed) ? changes : [] };
    },
    onSuccess: ({ changed, changes }, { terms, affected }) => {
      const words = doneWords(changed ?? affected, count);
      if (changes.length > 0) notifyUndo(words, () => goBack.mutate({ terms, changes }));
      else notifyDone(words);
      onDone();
      return refresh();
    },
  });
}

/** Whose groups a change will change; nobody where that cannot be told. A change does not depend on its way back. */
async function changesOf({ action, group_ids }: BulkTerms, scope: BulkScope): Promise<MembershipChange[]> {
  const isOfGroups = action === 'add_groups' || action === 'remove_groups';
  if (!isOfGroups || scope.changes === 'all') return [];
  const { names } = scope;
  const parts = Array.from({ length: Math.ceil(names.length / NAMES) }, (_, at) =>
    names.slice(at * NAMES, (at + 1) * NAMES),
  );
  try {
    const pages = await Promise.all(parts.map((username) => listUsers(['id', 'group_ids'], { username })));
    return membershipChanges(
      action,
      group_ids.map(Number),
      pages.flatMap(({ users }) => users),
    );
  } catch {
    return [];
  }
}
