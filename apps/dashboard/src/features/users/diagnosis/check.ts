export type Verdict = 'ok' | 'bad' | 'warning' | 'unknown';

/** What an admin can do about a problem right here. */
export type Remedy = 'enable' | 'edit' | 'reset';

/** The page on which an admin can do something about a problem. */
export type Place = { to: '/hosts' | '/nodes' } | { to: '/cores/$id'; id: number };

/** A sentence below the one of a check: of `users.checks.<check>.<reason>` with these names, or what a probe has said of a host. */
export type Note =
  | { reason: 'warning' | 'awaited' | 'disabled'; names: string }
  | { id: number; name: string; said: string };

/** One thing that must be right before a user can connect. */
export interface Check {
  check: 'status' | 'groups' | 'inbounds' | 'hosts' | 'nodes' | 'cores' | 'fetched' | 'online';
  verdict: Verdict;
  /** Which sentence of `users.checks.<check>` says so, where that of the verdict does not; `follows`: it is no problem of its own. */
  reason?: string;
  /** They fill the sentence. */
  values: Record<string, string | number>;
  notes?: readonly Note[];
  remedies?: readonly Remedy[];
  place?: Place;
}
