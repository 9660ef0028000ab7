import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit, UNAUTHENTICATED_ACTOR } from '../../audit/record-audit.js';
import { RepeatedTask } from '../../database/repeated-task.js';
import { siteOf } from './login-networks.js';
import type { PasswordWithoutCodeView } from './password-without-code.dto.js';

/** Within this time the code of an ordinary login follows. */
const CODE_MINUTES = 5;
const KEPT_DAYS = 30;
/** So many networks of an admin and hour are told apart; all others count as one. */
const MOST_NETWORKS = 20;
const MOST_SHOWN = 10;
const MINUTE_MS = 60_000;

const COUNT = `
  INSERT INTO passwords_without_code (admin_id, network, hour, tries)
  SELECT $1::integer,
    CASE WHEN count(*) FILTER (WHERE network = $2) > 0 OR count(*) < ${MOST_NETWORKS} THEN $2 ELSE 'other' END,
    date_trunc('hour', now()), 1
  FROM passwords_without_code WHERE admin_id = $1 AND hour = date_trunc('hour', now())
  ON CONFLICT (admin_id, network, hour) DO UPDATE SET tries = passwords_without_code.tries + 1`;

const TELL = `
  UPDATE passwords_without_code SET is_told = true FROM admins
  WHERE admins.id = admin_id AND NOT is_told AND since <= $1::timestamptz - make_interval(mins => ${CODE_MINUTES})
  RETURNING username, network, tries, since`;

/**
 * Logins with the right password and without a code. Where none follows from the same network, somebody else has the password:
 * the log of changes gets an entry by network and hour, and the admin is told.
 */
@Injectable()
export class PasswordsWithoutCode extends RepeatedTask {
  protected readonly logger = new Logger('Admins');
  protected override readonly intervalMs = MINUTE_MS;

  constructor(private readonly database: DataSource) {
    super();
  }

  async record(adminId: number, ip: string): Promise<void> {
    await this.database.query(COUNT, [adminId, siteOf(ip)]);
  }

  /** A login with a code has followed from there. */
  async followed(adminId: number, ip: string): Promise<void> {
    await this.database.query(
      'DELETE FROM passwords_without_code WHERE admin_id = $1 AND network = $2 AND NOT is_told',
      [adminId, siteOf(ip)],
    );
  }

  /** What an admin is told: the newest first. */
  async shown(adminId: number): Promise<PasswordWithoutCodeView[]> {
    const rows = await this.database.query<{ network: string; tries: number; since: Date }[]>(
      `SELECT network, tries, since FROM passwords_without_code WHERE admin_id = $1 AND is_told
       ORDER BY since DESC, network LIMIT ${MOST_SHOWN}`,
      [adminId],
    );
    return rows.map(({ network, tries, since }) => ({ network, tries, since: since.toISOString() }));
  }

  /** Notes those that no code has followed in time. A row is told once, whichever replica does it. */
  async run(now: Date): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [told] = await manager.query<[(PasswordWithoutCodeView & { username: string; since: Date })[], number]>(
        TELL,
        [now],
      );
      for (const { username, network, tries, since } of told)
        await recordAudit(manager, {
          action: 'admin.password_without_code',
          target: `admin/${username}`,
          after: { network, tries, since },
          actor: UNAUTHENTICATED_ACTOR,
          by: { address: network },
        });
      await manager.query(
        `DELETE FROM passwords_without_code WHERE since < $1::timestamptz - make_interval(days => ${KEPT_DAYS})`,
        [now],
      );
    });
  }
}

/** Forgets what an admin was told. Called when it has seen it, and when its password changes. */
export async function forgetPasswordsWithoutCode(manager: EntityManager, adminId: number): Promise<void> {
  await manager.query('DELETE FROM passwords_without_code WHERE admin_id = $1 AND is_told', [adminId]);
}
