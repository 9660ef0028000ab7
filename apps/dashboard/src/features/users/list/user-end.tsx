import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/i18n/format';
import { useEnd } from '../use-end';
import classes from './user-end.module.css';

/** When the time of a user ends. A phone, which has no headers, shows it in one line, and nothing for a user without an end. */
export function UserEnd({ expire }: { expire: string | number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const endOf = useEnd();
  if (!expire) return <span className={classes.never}>{t('users.never')}</span>;
  const [day, distance] = endOf(expire);
  return (
    <div className={classes.end} title={format.moment(expire)}>
      <span>{day}</span> <span className={classes.distance}>{distance}</span>
    </div>
  );
}
