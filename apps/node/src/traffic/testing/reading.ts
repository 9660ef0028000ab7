import type { TrafficReading } from '../../backend/backend.js';

/** A reading with downlink bytes of users, one byte of the inbound `in` and an idle outbound. */
export const reading = (users: Record<string, bigint>): TrafficReading => ({
  users: new Map(Object.entries(users).map(([email, downlink]) => [email, { uplink: 0n, downlink }])),
  inbounds: new Map([['in', { uplink: 1n, downlink: 0n }]]),
  outbounds: new Map([['idle', { uplink: 0n, downlink: 0n }]]),
});
