import { type Host, PLAIN_HOST } from '../model/host.js';

/** A host for the inbound `in` that sets nothing but what it must. */
export function host(change: Partial<Host> = {}): Host {
  return { ...PLAIN_HOST, ...change };
}
