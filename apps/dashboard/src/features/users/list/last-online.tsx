import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/i18n/format';
import { useNow } from '../../../ui/i18n/use-now';
import classes from './last-online.module.css';

const NOW_MS = 120_000;

/** When a user was last online; within two minutes that is now. */
export function LastOnline({ at }: { at: string | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  const now = useNow();
  if (at === null) return <span className={classes.never}>{t('users.neverOnline')}</span>;
  const isNow = now - new Date(at).getTime() < NOW_MS;
  return (
    <span title={format.moment(at)} className={isNow ? classes.now : undefined}>
      {isNow ? t('users.onlineNow') : format.relative(at, now)}
    </span>
  );
}
