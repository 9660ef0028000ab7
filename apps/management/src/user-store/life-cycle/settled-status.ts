/** SQL expressions, over a row of `users`, for the terms that decide a status. */
interface Terms {
  expire: string;
  dataLimit: string;
  usedTraffic: string;
}

const STORED: Terms = { expire: 'users.expire', dataLimit: 'users.data_limit', usedTraffic: 'users.used_traffic' };

/** SQL: the status of a user who is neither disabled nor on hold. `now` is an SQL expression too. */
export function statusByTerms(changed: Partial<Terms>, now = 'now()'): string {
  const { expire, dataLimit, usedTraffic } = { ...STORED, ...changed };
  return `CASE
    WHEN ${expire} <= ${now} THEN 'expired'
    WHEN ${dataLimit} > 0 AND ${usedTraffic} >= ${dataLimit} THEN 'limited'
    ELSE 'active' END`;
}

/**
 * SQL: the status that follows when some terms of a user change. The rules are those of `settled` in the domain; a hold
 * does not depend on these terms.
 */
export function settledStatus(changed: Partial<Terms>, now = 'now()'): string {
  return `CASE WHEN users.status IN ('disabled', 'on_hold') THEN users.status ELSE ${statusByTerms(changed, now)} END`;
}
