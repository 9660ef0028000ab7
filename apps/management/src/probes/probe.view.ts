import type { HostHealth } from '../hosts/host-health.entity.js';
import type { HostRoundSummary } from '../hosts/host-health.repository.js';
import type { HostProbeColumns } from '../hosts/host-probe.entity.js';
import type { HostReport } from './host-report.js';
import type { HostHealthView, HostProbesView, HostProbeView } from './probe.dto.js';

const probeView = (probe: HostProbeColumns): HostProbeView => ({
  node_id: probe.nodeId,
  clients: probe.clients,
  address: probe.address,
  port: probe.port,
  server_name: probe.serverName,
  problem: probe.problem,
  error: probe.error,
  advice: probe.advice,
  server_address: probe.serverAddress || null,
  handshake_ms: probe.handshakeMs || null,
  first_byte_ms: probe.firstByteMs || null,
  bytes_per_second: probe.bytesPerSecond || null,
  http_status: probe.httpStatus || null,
});

export const reportView = (hostId: number | null, report: HostReport): HostProbesView => ({
  host_id: hostId,
  status: report.status,
  message: report.message,
  clients_left_out: [...report.leftOut],
  clients_not_imitated: [...report.unlike],
  omitted_choices: report.omitted,
  results: report.results.map(probeView),
});

export const healthView = (
  host: { id: number; remark: string },
  health: HostHealth | undefined,
  results: readonly HostProbeColumns[],
  history: readonly HostRoundSummary[],
  hidesFailing: boolean,
): HostHealthView => ({
  host_id: host.id,
  remark: host.remark,
  status: health?.status ?? 'unknown',
  since: health?.since ?? null,
  checked_at: health?.checkedAt ?? null,
  failed_rounds: health?.failedRounds ?? 0,
  left_out: hidesFailing && (health?.leftOut ?? false),
  message: health?.message ?? '',
  results: results.map(probeView),
  history: history.map(({ host_id: _, ...round }) => round),
});
