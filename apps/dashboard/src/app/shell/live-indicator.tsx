import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { liveState } from '../../api/live-state';
import { IconOffline } from '../../ui/icons';
import classes from './shell.module.css';

/** Says that changes are not heard as they happen; nothing is shown while they are. */
export function LiveIndicator() {
  const { t } = useTranslation();
  const isLive = useSyncExternalStore(liveState.subscribe, liveState.get);
  if (isLive) return <span role="status" />;
  return (
    <Tooltip label={t('shell.notLiveText')} multiline w={260}>
      <span role="status" className={classes.notLive}>
        <IconOffline size={16} aria-hidden />
        <span className={classes.notLiveWords}>{t('shell.notLive')}</span>
      </span>
    </Tooltip>
  );
}
