import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { peerNetworkOf } from '@rampart/program';
import ipaddr from 'ipaddr.js';
import { DataSource, type EntityManager } from 'typeorm';
import { ManagementEnv } from '../../env/management-env.js';
import { ManagementError } from '../../errors/management-error.js';

/** Prefix lengths of one network, whose addresses a single attacker can easily obtain. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 };
/** Maximum number of old rows that each login deletes. It is more than a login adds, so the table shrinks. */
const MAX_SWEPT_ROWS = 10;
/** Maximum number of rows; the oldest are deleted beyond it, however fast logins fail. */
const MAX_SUBJECTS = 100_000;

/** A login attempt, counted as failed until its password turns out to be right. */
export interface LoginTry {
  nameInNetwork: string;
  address: string;
}

/**
 * Counts failed logins for a name in a network and from an address, in the database: for all replicas, and over restarts. An
 * attempt is counted before its password is checked, so that parallel attempts pass no limit and a refused one costs no
 * hash. A name is throttled everywhere only after many failures from all networks together, so that no stranger locks an
 * admin out.
 */
@Injectable()
export class LoginThrottle {
  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
  ) {}

  /** @throws ManagementError when the name or the address is throttled */
  async begin(username: string, ip: string): Promise<LoginTry> {
    const login = {
      nameInNetwork: `${nameSubject(username)}@${networkOf(ip)}`,
      address: addressSubject(ip),
    };
    const { loginNameFailures, loginNameTotalFailures, loginAddressFailures, loginMinutes } = this.env;
    const limits = [[login.address, login.nameInNetwork], [loginAddressFailures, loginNameFailures], loginMinutes];
    const all = [...limits, ...rangeOf(username), loginNameTotalFailures];
    const seconds = await secondsToWait(this.database.manager, all);
    if (seconds > 0) throw throttled(seconds);
    await this.database.transaction(async (manager) => {
      const counted = await manager.query<unknown[]>(COUNT, limits);
      // Parallel attempts have used up the limit, and the rollback takes this count back.
      if (counted.length < 2) throw throttled(Math.max(1, await secondsToWait(manager, all)));
      await manager.query(SWEEP, [loginMinutes]);
    });
    return login;
  }

  /** Removes the count of a login that has neither failed nor succeeded. Earlier failures stay. */
  async takeBack({ nameInNetwork, address }: LoginTry): Promise<void> {
    await this.database.transaction((manager) =>
      manager.query(
        `UPDATE login_failures SET failures = failures - 1 FROM (
           SELECT subject FROM login_failures WHERE subject = ANY ($1) ORDER BY subject FOR UPDATE) locked
         WHERE login_failures.subject = locked.subject AND failures > 0`,
        [[nameInNetwork, address]],
      ),
    );
  }

  /**
   * Removes the count of a successful login. Earlier failures of the name in this network are deleted, those of the
   * address stay.
   */
  async succeed({ nameInNetwork, address }: LoginTry): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query('UPDATE login_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0', [
        address,
      ]);
      await manager.query('DELETE FROM login_failures WHERE subject = $1', [nameInNetwork]);
    });
  }
}

/** Deletes all failures of a name. Called when its password changes, which an attacker without access cannot cause. */
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

// Rows are locked in the order of subjects, as in `succeed`, so that no two logins deadlock.
const COUNT = `
  INSERT INTO login_failures (subject, failures, since)
  SELECT subject, 1, now() FROM unnest($1::text[], $2::integer[]) AS tried (subject, most) ORDER BY subject
  ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN ${ENDED} THEN 1 ELSE login_failures.failures + 1 END,
    since = CASE WHEN ${ENDED} THEN now() ELSE login_failures.since END
  WHERE ${ENDED} OR login_failures.failures < ($2::integer[])[array_position($1::text[], excluded.subject::text)]
  RETURNING subject`;

// For a name in all networks, only failures within the window count; it waits until enough of the oldest leave the window.
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
      (SELECT since FROM login_failures ORDER BY since DESC OFFSET ${MAX_SUBJECTS} LIMIT 1)
    )
    ORDER BY since LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
  )`;

/** The name is hashed, because people type passwords there by mistake. */
const nameSubject = (username: string): string => `name:${createHash('sha256').update(username).digest('base64url')}`;

/** The range of the subjects of a name in all networks: from the first one to before the second. */
const rangeOf = (username: string): string[] => ['@', 'A'].map((end) => `${nameSubject(username)}${end}`);

const addressSubject = (ip: string): string => `address:${peerNetworkOf(ip) ?? hashOf(ip)}`;

/** The network of an address. A proxy may pass on any text as address; such a text is hashed. */
function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return hashOf(ip);
  const address = ipaddr.process(ip);
  const { ipv4, ipv6 } = NETWORK_BITS;
  return address instanceof ipaddr.IPv6
    ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6}`)}/${ipv6}`
    : `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${ipv4}`)}/${ipv4}`;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
