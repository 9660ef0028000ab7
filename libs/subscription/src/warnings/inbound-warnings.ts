import type { OfferedInbound } from '@rampart/core-config';
import { PLAIN_HOST } from '../model/host.js';
import type { HostWarning } from './host-warning.js';
import { hostWarnings } from './host-warnings.js';

/** Which clients do not get an inbound, when its hosts change nothing of it. */
export function inboundWarnings(inbound: OfferedInbound): HostWarning[] {
  const host = { ...PLAIN_HOST, inboundTag: inbound.tag, port: 443 };
  return hostWarnings(host, new Map([[inbound.tag, inbound]]), new Map()).filter(
    ({ code }) => code === 'left_out_for_client',
  );
}
