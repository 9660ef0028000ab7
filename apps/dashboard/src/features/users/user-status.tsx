import { useTranslation } from 'react-i18next';
import { wordsOf } from '../../ui/i18n/words';
import { StatusBadge } from '../../ui/list/status-badge';
import type { Tone } from '../../ui/tone';

const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  on_hold: 'info',
  limited: 'warning',
  expired: 'bad',
  disabled: 'quiet',
};

/** The state of a user; one that this version does not know is shown as it is. */
export function UserStatus({ status }: { status: string }) {
  useTranslation();
  return <StatusBadge tone={TONES[status] ?? 'quiet'}>{wordsOf(`users.status.${status}`) ?? status}</StatusBadge>;
}
