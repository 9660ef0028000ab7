import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { liveQuery } from '../../api/queries';
import { useFormat } from '../../ui/i18n/format';
import { Figure } from '../../ui/list/figure';

/** What all connected nodes send and receive at this moment. */
export function SpeedNow() {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: live } = useQuery(liveQuery);
  const nodes = Object.values(live ?? {}).flatMap((one) => one ?? []);
  const sum = (name: 'outgoing_bandwidth_speed' | 'incoming_bandwidth_speed') =>
    live && `${format.bytes(nodes.reduce((total, one) => total + one[name], 0))}/s`;
  return (
    <>
      <Figure name={t('overview.sendingNow')} value={sum('outgoing_bandwidth_speed')} />
      <Figure name={t('overview.receivingNow')} value={sum('incoming_bandwidth_speed')} />
    </>
  );
}
