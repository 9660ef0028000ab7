import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit, UNAUTHENTICATED_ACTOR } from '../../audit/record-audit.js';
import { RepeatedTask } from '../../database/repeated-task.js';
import { siteOf } from './login-networks.js';

/** So many networks of an hour have entries of their own in the log of changes; all others share one. */
const MOST_NETWORKS = 20;
const MINUTE_MS = 60_000;

/** The statement that counts a failure, which stands in for an entry of the log where there was one of this hour already. */
const COUNT = `
  INSERT INTO unknown_name_failures (hour, network, failures)
  SELECT date_trunc('hour', now()),
    CASE WHEN count(*) FILTER (WHERE network = $1) > 0 OR count(*) < ${MOST_NETWORKS} THEN $1 ELSE 'other' END, 1
  FROM unknown_name_failures WHERE hour = date_trunc('hour', now())
  ON CONFLICT (hour, network) DO UPDATE SET failures = unknown_name_failures.failures + 1
  RETURNING network, failures`;

/**
 * Failed logins with names that no admin has. The log of changes has the first of an hour from a network at once, and the sum
 * when the hour is over: strangers cannot fill it.
 */
@Injectable()
export class UnknownNames extends RepeatedTask {
  protected readonly logger = new Logger('Admins');
  protected override readonly intervalMs = MINUTE_MS;

  constructor(private readonly database: DataSource) {
    super();
  }

  async record(ip: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [counted] = await manager.query<{ network: string; failures: number }[]>(COUNT, [siteOf(ip)]);
      if (counted?.failures === 1) await recordAudit(manager, entryOf({ reason: REASON }));
    });
  }

  /** Writes the sums of the hours that are over. The rows go with the entry, so that of several replicas one writes it. */
  async run(now: Date): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [over] = await manager.query<[{ hour: Date; network: string; failures: number }[], number]>(
        `DELETE FROM unknown_name_failures WHERE hour < date_trunc('hour', $1::timestamptz) RETURNING hour, network, failures`,
        [now],
      );
      for (const { hour, network, failures } of over.filter((row) => row.failures > 1))
        await recordAudit(manager, entryOf({ reason: REASON, network, failures, hour: hour.toISOString() }));
    });
  }
}

const REASON = 'unknown_username';

/** An unknown name is not written: people type passwords there by mistake. */
const entryOf = (after: object) =>
  ({ action: 'admin.login_failed', target: 'admins', after, actor: UNAUTHENTICATED_ACTOR }) as const;
