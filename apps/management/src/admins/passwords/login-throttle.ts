import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { DataSource, type EntityManager } from 'typeorm';
import { ManagementEnv } from '../../env/management-env.js';
import { ManagementError } from '../../errors/management-error.js';

/** Prefix lengths: whoever has one address of IPv6 has its whole /64. */
const ADDRESS_BITS = { ipv4: 32, ipv6: 64 };
/** What one operator of a network can easily have addresses of. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 };
/** More than one login can add, so that the table shrinks. */
const SWEPT = 10;
/** The oldest go beyond so many, however fast they come. */
const MOST_SUBJECTS = 100_000;

/** A login that has been counted as failed, until its password turns out to be right. */
export interface LoginTry {
  nameInNetwork: string;
  address: string;
}

/**
 * Counts failed logins for a name in a network and from an address, in the database: for all replicas, and over restarts.
 * A try is counted before its password is looked at, so that many at once pass no limit, and one too many costs no hash.
 * A name alone has to wait only after many failures from all networks together, so that no stranger locks an admin out.
 */
@Injectable()
export class LoginThrottle {
  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
  ) {}

  /** @throws ManagementError when the name or the address has to wait. */
  async begin(username: string, ip: string): Promise<LoginTry> {
    const login = {
      nameInNetwork: `${nameSubject(username)}@${networkOf(ip, NETWORK_BITS)}`,
      address: addressSubject(ip),
    };
    const { loginNameFailures, loginNameTotalFailures, loginAddressFailures, loginMinutes } = this.env;
    const limits = [[login.address, login.nameInNetwork], [loginAddressFailures, loginNameFailures], loginMinutes];
    const all = [...limits, ...rangeOf(username), loginNameTotalFailures];
    const seconds = await secondsToWait(this.database.manager, all);
    if (seconds > 0) throw throttled(seconds);
    await this.database.transaction(async (manager) => {
      const counted = await manager.query<unknown[]>(COUNT, limits);
      // Others were quicker: what was counted here is taken back.
      if (counted.length < 2) throw throttled(Math.max(1, await secondsToWait(manager, all)));
      await manager.query(SWEEP, [loginMinutes]);
    });
    return login;
  }

  /** The password was right: the name starts anew in this network, and what failed from the address before still counts. */
  async succeed({ nameInNetwork, address }: LoginTry): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query('UPDATE login_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0', [
        address,
      ]);
      await manager.query('DELETE FROM login_failures WHERE subject = $1', [nameInNetwork]);
    });
  }
}

/** The name need not wait any more: for who changes its password, which nobody can whom the wait is to keep out. */
export async function forgetLoginFailures(manager: EntityManager, username: string): Promise<void> {
  await manager.query('DELETE FROM login_failures WHERE subject >= $1 AND subject < $2', rangeOf(username));
}

const throttled = (seconds: number): ManagementError =>
  new ManagementError('LOGIN_THROTTLED', undefined, { 'retry-after': String(seconds) });

async function secondsToWait(manager: EntityManager, parameters: unknown[]): Promise<number> {
  const [row] = await manager.query<{ seconds: number | null }[]>(WAIT, parameters);
  return row?.seconds ?? 0;
}

const ENDED = `login_failures.since <= now() - make_interval(mins => $3)`;

// In the order of the subjects, as `succeed` has it, so that no two logins block each other.
const COUNT = `
  INSERT INTO login_failures (subject, failures, since)
  SELECT subject, 1, now() FROM unnest($1::text[], $2::integer[]) AS tried (subject, most) ORDER BY subject
  ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN ${ENDED} THEN 1 ELSE login_failures.failures + 1 END,
    since = CASE WHEN ${ENDED} THEN now() ELSE login_failures.since END
  WHERE ${ENDED} OR login_failures.failures < ($2::integer[])[array_position($1::text[], excluded.subject::text)]
  RETURNING subject`;

// Of a name in all networks, those count that are not over; it may go on when enough of the oldest are.
const WAIT = `
  SELECT ceil(extract(epoch FROM max(since) + make_interval(mins => $3) - now()))::integer AS seconds FROM (
    SELECT since FROM login_failures JOIN unnest($1::text[], $2::integer[]) AS tried (subject, most) USING (subject)
    WHERE failures >= most
    UNION ALL
    SELECT since FROM (
      SELECT since, sum(failures) OVER (ORDER BY since DESC, subject) AS failures_since FROM login_failures
      WHERE subject >= $4 AND subject < $5 AND since > now() - make_interval(mins => $3)
    ) of_name WHERE failures_since >= $6
  ) reached`;

const SWEEP = `
  DELETE FROM login_failures WHERE subject IN (
    SELECT subject FROM login_failures WHERE since <= greatest(
      now() - make_interval(mins => $1),
      (SELECT since FROM login_failures ORDER BY since DESC OFFSET ${MOST_SUBJECTS} LIMIT 1)
    )
    ORDER BY since LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED
  )`;

/** Hashed: what people type there by mistake may be a password. */
const nameSubject = (username: string): string => `name:${createHash('sha256').update(username).digest('base64url')}`;

/** Of the subjects of a name in all networks: the first, and what comes behind the last. */
const rangeOf = (username: string): string[] => ['@', 'A'].map((end) => `${nameSubject(username)}${end}`);

const addressSubject = (ip: string): string => `address:${networkOf(ip, ADDRESS_BITS)}`;

/** A proxy may pass on any text for an address, which then is one of its own. */
function networkOf(ip: string, { ipv4, ipv6 }: typeof ADDRESS_BITS): string {
  if (!ipaddr.isValid(ip)) return createHash('sha256').update(ip).digest('hex');
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv6) return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6}`)}/${ipv6}`;
  return ipv4 === 32 ? `${address}` : `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${ipv4}`)}/${ipv4}`;
}
