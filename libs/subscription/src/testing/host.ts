import { type Host, PLAIN_HOST } from '../model/host.js';

/** A host for the inbound `in` with the given settings and no others. */
export function host(change: Partial<Host> = {}): Host {
  return { ...PLAIN_HOST, ...change };
}
