import { type Diagnosis, diagnose, type ProbeResult } from '@rampart/probe';
import type { HostProbe, HostProbes } from '@rampart/subscription';
import type { HostState } from '../hosts/host-health.entity.js';
import type { HostProbeColumns } from '../hosts/host-probe.entity.js';
import { NO_FAULT } from '../hosts/probe-problems.js';
import type { Viewpoint } from './viewpoint.js';

/** What a round has found about one host. */
export interface HostReport extends Pick<HostProbes, 'leftOut' | 'unlike' | 'omitted'> {
  readonly status: HostState;
  /** What is wrong, and what to do; empty when the host works. */
  readonly message: string;
  readonly results: readonly HostProbeColumns[];
}

/** The problem of a probe that could not be made. */
export const NOT_PROBED = 'not_probed';

/** Problems of the server's address, which all probes of it have in common. */
const OF_ADDRESS: readonly Diagnosis['problem'][] = [
  'blocked_address',
  'closed_port',
  'name_not_found',
  'private_address',
];

export const isOfAddress = ({ problem }: HostProbeColumns): boolean => OF_ADDRESS.some((known) => known === problem);

export function probed(
  probe: HostProbe,
  result: ProbeResult,
  { nodeId, name }: Viewpoint,
  url: string,
): HostProbeColumns {
  const prober = nodeId === null ? 'management' : `the node ${name}`;
  const found = diagnose(result, { ...probe, url: withoutToken(url), prober });
  return {
    ...place(probe, nodeId),
    problem: found?.problem ?? null,
    error: result.error,
    advice: found?.advice ?? '',
    serverAddress: result.address,
    handshakeMs: result.handshakeMs,
    firstByteMs: result.firstByteMs,
    bytesPerSecond: result.bytesPerSecond,
    httpStatus: result.httpStatus,
  };
}

export const notProbed = (probe: HostProbe, error: unknown, { nodeId, name }: Viewpoint): HostProbeColumns => ({
  ...place(probe, nodeId),
  ...{ problem: NOT_PROBED, error: error instanceof Error ? error.message : String(error) },
  advice: `${name} could not probe the host, which says nothing about it. Look at the state of that node.`,
  ...{ serverAddress: '', handshakeMs: 0, firstByteMs: 0, bytesPerSecond: 0, httpStatus: 0 },
});

/** The report of a host, whose results may be none. */
export function reportOf(
  { leftOut, unlike, omitted }: HostProbes,
  results: readonly HostProbeColumns[],
  viewpointNames: ReadonlyMap<number | null, string>,
): HostReport {
  const made = results.filter(({ problem }) => problem !== NOT_PROBED);
  const failed = made.filter(({ problem }) => problem !== null && !NO_FAULT.includes(problem));
  const status = made.length === 0 ? 'unknown' : stateOf(made.length, failed.length);
  const [first] = [...failed, ...results.filter(({ advice }) => advice !== '')];
  const from = first && (viewpointNames.get(first.nodeId) ?? 'a deleted node');
  const message = first ? `From ${from}, ${first.address} port ${first.port}: ${first.advice}` : '';
  return { leftOut, unlike, omitted, status, results, message: results.length === 0 ? NO_VIEWPOINT : message };
}

const NO_VIEWPOINT =
  'Nothing could be probed: no other node is connected that can probe, and this machine has no engine. Connect a node at another address, or set RAMPART_PROBE_ENGINE.';

function stateOf(all: number, failed: number): HostState {
  if (failed === 0) return 'works';
  return failed === all ? 'fails' : 'partly';
}

function place({ clients, address, port, serverName }: HostProbe, nodeId: number | null) {
  return { clients: [...clients], address, port, serverName, nodeId };
}

/** The token of our own page is nothing for a history. */
const withoutToken = (url: string): string => url.replace(/(\/sub\/probe\/).+$/, '$1…');
