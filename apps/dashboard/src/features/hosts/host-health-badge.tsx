import { Popover, Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { HostHealth } from '../../api/types';
import { useFormat } from '../../ui/i18n/format';
import { StatusBadge } from '../../ui/list/status-badge';
import { HEALTH_TONES, healthWords, ProbeResults } from './probe-results';

/** Whether clients can reach a host, as its last probes have found; a click shows these. */
export function HostHealthBadge({ health }: { health: HostHealth | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!health?.checked_at) return <StatusBadge tone="quiet">{t('hosts.health.never')}</StatusBadge>;
  const { status, checked_at: at, remark, message } = health;
  return (
    <>
      <Popover width={380} position="bottom-end" shadow="md" withinPortal>
        <Popover.Target>
          <UnstyledButton aria-label={`${healthWords(status)}: ${remark}`}>
            <StatusBadge tone={HEALTH_TONES[status] ?? 'quiet'}>{healthWords(status)}</StatusBadge>
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          <ProbeResults {...health} />
          <div>{t('hosts.probedAt', { at: format.relative(at) })}</div>
        </Popover.Dropdown>
      </Popover>
      {message && (
        <Text size="xs" c="var(--quiet)" dir="ltr" lineClamp={2} title={message}>
          {message}
        </Text>
      )}
    </>
  );
}
