import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ManagementEnv } from '../../env/management-env.js';
import { ManagementError } from '../../errors/management-error.js';
import { isWiderThanSite, networksAround, siteOf } from './login-networks.js';

/** Maximum number of old rows that each login deletes. It is more than a login adds, so the table shrinks. */
const MAX_SWEPT_ROWS = 10;
/** Maximum number of rows; those that end first are deleted beyond it, however fast logins fail. */
const MAX_SUBJECTS = 100_000;
/** A subject that uses up its failures again waits twice as long as before, at most so many times in a row. */
const MAX_DOUBLINGS = 4;
/** How many wrong codes of a second factor an admin may have in how many minutes. */
const CODES = { most: 10, minutes: 60 };

/** How often an admin may choose credentials that other users have, in how many minutes. */
const CLASHES = { most: 10, minutes: 60 };

/** How many failures a subject may have in a time. */
interface Budget {
  readonly subject: string;
  readonly most: number;
  readonly minutes: number;
}

/** A login attempt, counted as failed until its password turns out to be right. */
export interface LoginTry {
  readonly username: string;
  /** Where failures of the name count: its network, or its browser. A successful login deletes them. */
  readonly own: string;
  readonly budgets: readonly Budget[];
  /** Whether failures of the name from all networks together count. */
  readonly isStranger: boolean;
}

/**
 * Counts failed logins in the database: for all replicas, and over restarts. They count for a name in a network, and for an
 * address and the networks around it, which may have the more the wider they are. An attempt is counted before its password
 * is checked, so that parallel attempts pass no limit and a refused one costs no hash. A name is throttled everywhere after
 * many failures from all networks together, but not where its admin has logged in before: no stranger locks an admin out.
 */
@Injectable()
export class LoginThrottle {
  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
  ) {}

  /** @param known the browser or the network of this attempt, where the admin has logged in from there before */
  attempt(username: string, ip: string, known?: string): LoginTry {
    const { loginNameFailures, loginAddressFailures, loginMinutes: minutes } = this.env;
    const name = nameSubject(username);
    if (known?.startsWith('device:')) {
      // Nobody else has this cookie, so nothing that others do in its network counts.
      const own = `${name}@${known}`;
      return { username, own, budgets: [{ subject: own, most: loginNameFailures, minutes }], isStranger: false };
    }
    const own = `${name}@${siteOf(ip)}`;
    const networks = networksAround(ip)
      .filter((network) => known === undefined || !isWiderThanSite(network.name))
      .map((network) => ({ subject: `address:${network.name}`, most: loginAddressFailures * network.share, minutes }));
    return {
      username,
      own,
      budgets: [{ subject: own, most: loginNameFailures, minutes }, ...networks],
      isStranger: known === undefined,
    };
  }

  /** Refuses an attempt that has to wait, without counting it. @throws ManagementError LOGIN_THROTTLED */
  async check(attempt: LoginTry): Promise<void> {
    const seconds = await this.secondsToWait(this.database.manager, attempt);
    if (seconds > 0) throw throttled(seconds);
  }

  /** Counts an attempt. @throws ManagementError LOGIN_THROTTLED, and then it is not counted */
  async begin(attempt: LoginTry): Promise<void> {
    await this.check(attempt);
    await this.database.transaction(async (manager) => {
      const counted = await manager.query<unknown[]>(COUNT, parametersOf(attempt.budgets));
      // Parallel attempts have used up the limit, and the rollback takes this count back.
      if (counted.length < attempt.budgets.length)
        throw throttled(Math.max(1, await this.secondsToWait(manager, attempt)));
      await manager.query(SWEEP);
    });
  }

  /** Removes the count of a login that has neither failed nor succeeded. Earlier failures stay. */
  takeBack({ budgets }: Pick<LoginTry, 'budgets'>): Promise<void> {
    return this.database.transaction(async (manager) => {
      await manager.query(LOCK, [subjectsOf(budgets)]);
      await manager.query(
        'UPDATE login_failures SET failures = failures - 1 WHERE subject = ANY ($1) AND failures > 0',
        [subjectsOf(budgets)],
      );
    });
  }

  /**
   * Marks a login whose password was right, but which had no code. It counts as failed until one succeeds from the same place;
   * the first of them leaves room for that one.
   */
  async lackCode({ budgets }: LoginTry): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query(LOCK, [subjectsOf(budgets)]);
      await manager.query('UPDATE login_failures SET codeless = codeless + 1 WHERE subject = ANY ($1)', [
        subjectsOf(budgets),
      ]);
    });
  }

  /**
   * Removes the count of a successful login, and of those before it that lacked its code. Earlier failures of the name in this
   * network are deleted, those of the addresses stay.
   */
  async succeed({ own, budgets }: LoginTry): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query(LOCK, [subjectsOf(budgets)]);
      await manager.query(
        `UPDATE login_failures SET failures = greatest(login_failures.failures - 1 - earlier.codeless, 0),
           codeless = greatest(login_failures.codeless - earlier.codeless, 0)
         FROM (SELECT coalesce(max(codeless), 0) AS codeless FROM login_failures WHERE subject = $2) earlier
         WHERE subject = ANY ($1) AND subject <> $2`,
        [subjectsOf(budgets), own],
      );
      await manager.query('DELETE FROM login_failures WHERE subject = $1', [own]);
    });
  }

  /**
   * Counts a code of a second factor, before it is checked. Whoever knows the password can only use up the codes of strangers:
   * a known network or browser has its own.
   *
   * @returns what `takeBack` takes when the code was right
   * @throws ManagementError LOGIN_THROTTLED
   */
  async beginCode(adminId: number, known?: string): Promise<Pick<LoginTry, 'budgets'>> {
    const budgets = [{ subject: `${codeSubject(adminId)}${known ?? ''}`, ...CODES }];
    await this.begin({ username: '', own: '', budgets, isStranger: false });
    return { budgets };
  }

  /** After how many seconds an admin may choose a credential again; 0: now. */
  secondsToWaitForClash(adminId: number): Promise<number> {
    return this.secondsToWait(this.database.manager, clashesOf(adminId));
  }

  /** Counts a credential that an admin has chosen, and another user has. */
  async countClash(adminId: number): Promise<void> {
    await this.database.query(COUNT, parametersOf(clashesOf(adminId).budgets));
  }

  private async secondsToWait(manager: EntityManager, { username, budgets, isStranger }: LoginTry): Promise<number> {
    const { loginMinutes, loginNameTotalFailures } = this.env;
    const [subjects, most] = parametersOf(budgets);
    const total = isStranger ? loginNameTotalFailures : null;
    const [row] = await manager.query<{ seconds: number | null }[]>(WAIT, [
      subjects,
      most,
      loginMinutes,
      ...rangeOf(username),
      total,
    ]);
    return row?.seconds ?? 0;
  }
}

/** Deletes all failures of an admin. Called when its password changes, which an attacker without access cannot cause. */
export async function forgetLoginFailures(
  manager: EntityManager,
  { id, username }: { readonly id: number; readonly username: string },
): Promise<void> {
  const forget = 'DELETE FROM login_failures WHERE subject >= $1 AND subject < $2';
  await manager.query(forget, rangeOf(username));
  await manager.query(forget, [codeSubject(id), `codes:${id}A`]);
}

const throttled = (seconds: number): ManagementError =>
  new ManagementError('LOGIN_THROTTLED', undefined, { 'retry-after': String(seconds) });

const subjectsOf = (budgets: readonly Budget[]): string[] => budgets.map(({ subject }) => subject);

const parametersOf = (budgets: readonly Budget[]): [string[], number[], number[]] => [
  subjectsOf(budgets),
  budgets.map(({ most }) => most),
  budgets.map(({ minutes }) => minutes),
];

/** One login without a code leaves room for the one with it. */
const counted = (row: string): string => `${row}failures - least(${row}codeless, 1)`;

const MOST = '($2::integer[])[array_position($1::text[], excluded.subject::text)]';
const ENDED = 'login_failures.ends_at <= now()';
/** Failures that were used up, and begin again before they are forgotten, double the wait. */
const DOUBLINGS = `CASE WHEN ${counted('login_failures.')} >= ${MOST} AND login_failures.forgotten_at > now()
  THEN least(login_failures.doublings + 1, ${MAX_DOUBLINGS}) ELSE 0 END`;
const BASE = '(excluded.ends_at - excluded.since)';

// Rows are locked in the order of subjects, as by LOCK, so that no two logins deadlock.
const COUNT = `
  INSERT INTO login_failures (subject, failures, since, ends_at, forgotten_at)
  SELECT subject, 1, now(), now() + make_interval(mins => minutes), now() + make_interval(mins => 2 * minutes)
  FROM unnest($1::text[], $2::integer[], $3::integer[]) AS tried (subject, most, minutes) ORDER BY subject COLLATE "C"
  ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN ${ENDED} THEN 1 ELSE login_failures.failures + 1 END,
    codeless = CASE WHEN ${ENDED} THEN 0 ELSE login_failures.codeless END,
    since = CASE WHEN ${ENDED} THEN now() ELSE login_failures.since END,
    doublings = CASE WHEN ${ENDED} THEN ${DOUBLINGS} ELSE login_failures.doublings END,
    ends_at = CASE WHEN ${ENDED} THEN now() + ${BASE} * (1 << ${DOUBLINGS}) ELSE login_failures.ends_at END,
    forgotten_at = CASE WHEN ${ENDED} THEN now() + ${BASE} * (2 << ${DOUBLINGS}) ELSE login_failures.forgotten_at END
  WHERE ${ENDED} OR ${counted('login_failures.')} < ${MOST}
  RETURNING subject`;

const LOCK = 'SELECT subject FROM login_failures WHERE subject = ANY ($1) ORDER BY subject FOR UPDATE';

// For a name in all networks, only failures within the window count; it waits until enough of the oldest leave the window.
const WAIT = `
  SELECT ceil(extract(epoch FROM max(until) - now()))::integer AS seconds FROM (
    SELECT ends_at AS until FROM login_failures JOIN unnest($1::text[], $2::integer[]) AS tried (subject, most) USING (subject)
    WHERE ${counted('')} >= most
    UNION ALL
    SELECT since + make_interval(mins => $3) FROM (
      SELECT since, sum(failures) OVER (ORDER BY since DESC, subject) AS failures_since FROM login_failures
      WHERE subject >= $4 AND subject < $5 AND since > now() - make_interval(mins => $3)
    ) of_name WHERE failures_since >= $6
  ) reached`;

const SWEEP = `
  DELETE FROM login_failures WHERE subject IN (
    SELECT subject FROM login_failures WHERE forgotten_at <= greatest(
      now(),
      (SELECT forgotten_at FROM login_failures ORDER BY forgotten_at DESC OFFSET ${MAX_SUBJECTS} LIMIT 1)
    )
    ORDER BY forgotten_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
  )`;

/** The name is hashed, because people type passwords there by mistake. */
const nameSubject = (username: string): string => `name:${createHash('sha256').update(username).digest('base64url')}`;

/** The range of the subjects of a name in all networks: from the first one to before the second. */
const rangeOf = (username: string): string[] => ['@', 'A'].map((end) => `${nameSubject(username)}${end}`);

/** The password of the admin does not matter to it. */
const clashesOf = (adminId: number): LoginTry => ({
  username: '',
  own: '',
  budgets: [{ subject: `clashes:${adminId}@`, ...CLASHES }],
  isStranger: false,
});

const codeSubject = (adminId: number): string => `codes:${adminId}@`;
