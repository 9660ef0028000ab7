import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/i18n/format';
import { useNow } from '../../ui/i18n/use-now';

/** Says on which day a time ends, and how far away that is. */
export function useEnd() {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useNow();
  return (end: string | number) => {
    const time = format.left(end, now);
    return [format.day(end), time === undefined ? format.relative(end, now) : t('users.left', { time })] as const;
  };
}
