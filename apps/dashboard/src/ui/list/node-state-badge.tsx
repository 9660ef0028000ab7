import { wordsOf } from '../i18n/words';
import type { Tone } from '../tone';
import { StatusBadge } from './status-badge';

const TONES: Readonly<Record<string, Tone>> = {
  connected: 'good',
  connecting: 'info',
  error: 'bad',
  disabled: 'quiet',
};

/** The state of a node. A state that this version does not know is shown as the server calls it. */
export function NodeStateBadge({ status }: { status: string }) {
  return <StatusBadge tone={TONES[status] ?? 'quiet'}>{wordsOf(`nodes.states.${status}`) ?? status}</StatusBadge>;
}
