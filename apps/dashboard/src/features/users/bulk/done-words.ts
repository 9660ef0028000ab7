import { i18n } from '../../../ui/i18n/i18n';

/** What a change of many users has done: how many were changed, and how many stayed as they were. */
export function doneWords(changed: number, total: number): string {
  const done = i18n.t('bulk.done', { count: changed });
  return changed >= total ? done : `${done} · ${i18n.t('bulk.stayed', { count: total - changed })}`;
}
