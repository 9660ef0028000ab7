import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { nodesQuery } from '../../api/queries';
import type { HostHealth } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import { useFormat } from '../../ui/i18n/format';
import { wordsOf } from '../../ui/i18n/words';
import type { Tone } from '../../ui/tone';

type Props = Pick<HostHealth, 'status' | 'message' | 'results'>;

/** The colours of the states of a host. A server of another version may know more states. */
export const HEALTH_TONES: Readonly<Record<string, Tone>> = {
  works: 'good',
  partly: 'warning',
  fails: 'bad',
  unknown: 'quiet',
};

/** The state of a host in words; one that this version does not know is shown as the server calls it. */
export const healthWords = (status: string): string => wordsOf(`hosts.health.${status}`) ?? status;

/** What probes have found: from where the host was tried, as which client, how fast it was, or what is wrong. */
export function ProbeResults({ status, message, results }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data: nodes } = useQuery(nodesQuery);
  const from = (id: number | null) =>
    id === null
      ? t('hosts.fromManagement')
      : (nodes?.find((node) => node.id === id)?.name ?? t('users.nodeOf', { id }));
  return (
    <Notice tone={HEALTH_TONES[status] ?? 'quiet'} isAlert title={healthWords(status)}>
      {message && <div dir="ltr">{message}</div>}
      {results.map((one, at) => (
        <div key={`${one.node_id} ${one.address} ${one.port} ${one.server_name} ${at}`}>
          <Text size="xs" mt={6}>
            <bdi>{from(one.node_id)}</bdi> · <bdi>{`${one.address}:${one.port}`}</bdi> ·{' '}
            <bdi>{one.clients.join(', ')}</bdi>
            {one.problem === null && one.handshake_ms !== null && (
              <>
                {' '}
                · <bdi>{`${format.number(one.handshake_ms)} ms`}</bdi>
              </>
            )}
            {one.problem === null && one.bytes_per_second !== null && (
              <>
                {' '}
                · <bdi>{`${format.bytes(one.bytes_per_second)}/s`}</bdi>
              </>
            )}
          </Text>
          {one.problem !== null && (
            <Text size="xs" dir="ltr" c="var(--quiet)">
              {one.problem}: {one.error} {one.advice}
            </Text>
          )}
        </div>
      ))}
    </Notice>
  );
}
