import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { DataSource, type EntityManager } from 'typeorm';
import { ManagementEnv } from '../env/management-env.js';
import { ManagementError } from '../errors/management-error.js';

const NETWORK_BYTES = 8;
/** More than one login can add, so that the table shrinks. */
const SWEPT = 10;

/** A login that has been counted as failed, until its password turns out to be right. */
export interface LoginTry {
  name: string;
  address: string;
}

/**
 * Counts failed logins for a name and from an address, in the database: for all replicas, and over restarts. A try is
 * counted before its password is looked at, so that many at once pass no limit, and one too many costs no hash.
 */
@Injectable()
export class LoginThrottle {
  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
  ) {}

  /** @throws ManagementError when the name or the address has to wait. */
  async begin(username: string, ip: string): Promise<LoginTry> {
    const login = { name: nameSubject(username), address: addressSubject(ip) };
    const { loginNameFailures, loginAddressFailures, loginMinutes } = this.env;
    const parameters = [[login.address, login.name], [loginAddressFailures, loginNameFailures], loginMinutes];
    const seconds = await secondsToWait(this.database.manager, parameters);
    if (seconds > 0) throw throttled(seconds);
    await this.database.transaction(async (manager) => {
      const counted = await manager.query<unknown[]>(COUNT, parameters);
      // Others were quicker: what was counted here is taken back.
      if (counted.length < 2) throw throttled(Math.max(1, await secondsToWait(manager, parameters)));
      await manager.query(SWEEP, [loginMinutes]);
    });
    return login;
  }

  /** The password was right: the name starts anew, and what failed from the address before still counts. */
  async succeed({ name, address }: LoginTry): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query('UPDATE login_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0', [
        address,
      ]);
      await manager.query(FORGET, [name]);
    });
  }
}

/** The name need not wait any more: for who changes its password, which nobody can whom the wait is to keep out. */
export async function forgetLoginFailures(manager: EntityManager, username: string): Promise<void> {
  await manager.query(FORGET, [nameSubject(username)]);
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

const WAIT = `
  SELECT ceil(extract(epoch FROM max(since) + make_interval(mins => $3) - now()))::integer AS seconds
  FROM login_failures JOIN unnest($1::text[], $2::integer[]) AS tried (subject, most) USING (subject)
  WHERE failures >= most`;

const FORGET = 'DELETE FROM login_failures WHERE subject = $1';

const SWEEP = `
  DELETE FROM login_failures WHERE subject IN (
    SELECT subject FROM login_failures WHERE since <= now() - make_interval(mins => $1)
    ORDER BY since LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED
  )`;

/** Hashed: what people type there by mistake may be a password. */
const nameSubject = (username: string): string => `name:${createHash('sha256').update(username).digest('hex')}`;

/** Whoever has one address of IPv6 has its whole /64. */
function addressSubject(ip: string): string {
  if (!ipaddr.isValid(ip)) return `address:${createHash('sha256').update(ip).digest('hex')}`;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return `address:${address.toString()}`;
  const network = ipaddr.fromByteArray([
    ...address.toByteArray().slice(0, NETWORK_BYTES),
    ...Array(NETWORK_BYTES).fill(0),
  ]);
  return `address:${network.toString()}/64`;
}
