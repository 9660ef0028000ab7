const DAY_MS = 86_400_000;

/** How long certificates are valid, in milliseconds. */
export class AuthorityTiming {
  /** The authority itself ends after any installation, so it is never renewed. */
  readonly authorityMs: number = 100 * 365 * DAY_MS;
  /** Certificates of nodes, and those by which management shows itself to them. */
  readonly leafMs: number = 365 * DAY_MS;
  /** Certificates begin earlier than they are issued, because clocks of nodes may be slow. */
  readonly backdatedMs: number = DAY_MS;
}
