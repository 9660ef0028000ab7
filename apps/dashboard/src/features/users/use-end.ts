import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/i18n/format';

/** Says on which day a time ends, and how far away that is. */
export function useEnd() {
  const { t } = useTranslation();
  const format = useFormat();
  return (end: string | number) => {
    const time = format.left(end);
    return [format.day(end), time === undefined ? format.relative(end) : t('users.left', { time })] as const;
  };
}
