import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from '../feedback/confirm';

interface Place {
  readonly pathname: string;
  readonly search: unknown;
}

/**
 * Asks before something typed is lost: by another address, by Back, by a reload. The function that it returns closes what
 * contains the draft, after the same question.
 */
export function useUnsaved(isDirty: () => boolean): (close: () => void) => void {
  const { t } = useTranslation();
  const isDiscarded = useRef(false);
  useBlocker({
    enableBeforeUnload: isDirty,
    shouldBlockFn: ({ current, next }) =>
      !isDiscarded.current && isDirty() && !isSamePlace(current, next) && !window.confirm(t('form.discardText')),
  });
  return (close) => {
    if (!isDirty()) return close();
    confirm({
      title: t('form.discardTitle'),
      text: t('form.discardText'),
      action: t('form.discard'),
      onConfirm: () => {
        isDiscarded.current = true;
        close();
      },
    });
  };
}

/** Whether two addresses show the same; the row at the top of a list is part of the address too. */
const isSamePlace = (current: Place, next: Place): boolean =>
  current.pathname === next.pathname && withoutRow(current) === withoutRow(next);

const withoutRow = ({ search }: Place): string => JSON.stringify({ ...Object(search), at: undefined });
