import { siteOf } from '../admins/passwords/login-networks.js';

/** So many networks have entries of their own for a token; all others share one. */
const MOST_NETWORKS = 20;

/** The network under which the log has a use of a token from an address, beside those that it has already. */
export function networkAmong(known: ReadonlyMap<string, unknown>, address: string): string {
  const site = siteOf(address);
  return known.has(site) || known.size < MOST_NETWORKS ? site : 'other';
}
