import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/i18n/format';
import classes from './usage-bar.module.css';

const NEARLY = 0.9;

/** How much of its limit a user has used. */
export function UsageBar({ used, limit }: { used: number; limit: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const part = limit > 0 ? Math.min(used / limit, 1) : 0;
  return (
    <div>
      <div className={classes.figures}>
        <bdi>{format.bytes(used)}</bdi>{' '}
        <span className={classes.limit}>/ {limit > 0 ? <bdi>{format.bytes(limit)}</bdi> : t('users.unlimited')}</span>
      </div>
      <div
        className={classes.bar}
        data-level={part >= 1 ? 'full' : part >= NEARLY ? 'nearly' : undefined}
        role="progressbar"
        aria-label={t('users.used')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
      >
        <div style={{ inlineSize: `${part * 100}%` }} />
      </div>
    </div>
  );
}
