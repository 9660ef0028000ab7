import pg from 'pg';
import {
  DataSource,
  type DataSourceOptions,
  type EntityManager,
  type QueryRunner,
  type ReplicationMode,
} from 'typeorm';
import { requestContext } from '../access/request-context.js';
import { type DatabaseSettings, serverLimits } from '../env/database-settings.js';
import { isConnectionEnded } from '../errors/to-management-error.js';
import { ChangeQueryRunner } from './change-query-runner.js';
import { ChangeQueue, type ChangeSource } from './change-queue.js';
import { DatabasePool } from './database-pool.js';

type Work<T> = (manager: EntityManager) => Promise<T>;

/** The revision counter serializes changes anyway; a second change is prepared while the first one commits. */
const MAX_RUNNING_PER_ADMIN = 2;

/**
 * The data source of TypeORM over separate pools for writing and reading, with a third pool for subscriptions. A
 * transaction counts as a change: it waits in the queue and then takes a connection for writing. Queries outside of
 * transactions use connections for reading.
 */
export class Database extends DataSource {
  /** The pool for subscriptions and access checks. */
  readonly subscriptions: DatabasePool;
  private readonly pools: readonly DatabasePool[];
  private readonly changes: ChangeQueue;
  private readonly background: ChangeSource;
  private isSuspended = false;

  constructor(
    /** URL of the database, or of the pooler in front of it. Session locks and LISTEN need `directUrl`. */
    readonly url: string,
    readonly settings: DatabaseSettings,
    options: Omit<DataSourceOptions & { type: 'postgres' }, 'type' | 'replication' | 'driver'>,
  ) {
    const pools: DatabasePool[] = [];
    const sizes: Record<string, number> = {
      [WRITES]: settings.writeConnections,
      [READS]: settings.readConnections,
      [SUBSCRIPTIONS]: settings.subscriptionConnections,
    };
    class Pool extends DatabasePool {
      constructor(config: pg.PoolConfig) {
        const { application_name: name = '' } = config;
        super({ ...config, max: sizes[name] ?? 1, pipeline: name === WRITES }, settings);
        pools.push(this);
      }
    }
    super({
      ...options,
      type: 'postgres',
      url,
      replication: { master: { url, applicationName: WRITES }, slaves: [{ url, applicationName: READS }] },
      driver: { Pool, defaults: pg.defaults },
    });
    this.subscriptions = new Pool({ connectionString: url, application_name: SUBSCRIPTIONS });
    this.pools = pools;
    this.changes = new ChangeQueue({ running: settings.writeConnections, waiting: settings.waitingChanges });
    this.background = {
      name: 'background',
      maxRunning: Math.ceil(settings.writeConnections / 2),
      isRefusable: false,
    };
  }

  /** Why the database cannot be used now; undefined when it answers. */
  async problem(): Promise<string | undefined> {
    if (this.isSuspended) return 'the database does not answer';
    return this.subscriptions.query('SELECT 1').then(
      () => undefined,
      () => 'the database cannot be reached',
    );
  }

  /** The connections of each pool, and who waits for one. */
  get poolFigures() {
    return this.pools.map(({ options, totalCount, idleCount, waitingCount }) => ({
      pool: (options.application_name ?? '').replace(/^rampart-/, ''),
      max: options.max ?? 0,
      open: totalCount,
      idle: idleCount,
      waiting: waitingCount,
    }));
  }

  /** How many changes run and wait. */
  get changeFigures(): { readonly running: number; readonly waiting: number } {
    return this.changes.figures;
  }

  /** Fails all running and waiting work because the database does not answer, and refuses new work until `resume`. */
  suspend(): void {
    this.isSuspended = true;
    for (const pool of this.pools) pool.suspend();
    this.changes.refuseAll();
  }

  resume(): void {
    this.isSuspended = false;
    for (const pool of this.pools) pool.resume();
  }

  /** URL that bypasses the pooler, where there is one. */
  get directUrl(): string {
    return this.settings.directUrl ?? this.url;
  }

  /** The pool for lists and other reads. */
  get reads(): pg.Pool {
    return Reflect.get(this.driver, 'slaves')[0];
  }

  override async destroy(): Promise<void> {
    await super.destroy();
    await this.subscriptions.end();
  }

  override transaction<T>(...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    return this.transactionFor(this.sourceOfRequest(), ...given);
  }

  /** Runs a transaction that is queued under another source than that of the current request. */
  transactionFor<T>(source: ChangeSource, ...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [isolation, work] = given.length === 2 ? given : [undefined, given[0]];
    return this.changes.run(source, () => this.begin(isolation, this.limited(work)));
  }

  /**
   * After a restart of the server, each pooled connection fails once. A transaction that has not begun is tried on
   * another connection.
   */
  private async begin<T>(isolation: IsolationLevel | undefined, work: Work<T>): Promise<T> {
    for (let ended = 0; ; ended += 1) {
      const runner = this.createQueryRunner('master');
      const { manager } = runner;
      try {
        return await (isolation ? manager.transaction(isolation, work) : manager.transaction(work));
      } catch (error) {
        const hasStarted = await runner.hasStarted.then(
          () => true,
          () => false,
        );
        if (hasStarted || ended >= this.settings.writeConnections || !isConnectionEnded(error)) throw error;
      } finally {
        await runner.release();
      }
    }
  }

  override createQueryRunner(mode: ReplicationMode = 'master'): ChangeQueryRunner {
    const runner = new ChangeQueryRunner(this, mode);
    return Object.assign(runner, { manager: this.createEntityManager(runner) });
  }

  /** Runs `work` in a read-only view of the database: all its queries see the same moment. */
  async snapshot<T>(work: Work<T>): Promise<T> {
    const runner = this.createQueryRunner('slave');
    try {
      return await runner.manager.transaction('REPEATABLE READ', this.limited(work));
    } finally {
      await runner.release();
    }
  }

  override async query<T>(sql: string, parameters?: unknown[], runner?: QueryRunner): Promise<T> {
    if (runner) return super.query<T>(sql, parameters, runner);
    const reader = this.createQueryRunner('slave');
    try {
      return await super.query<T>(sql, parameters, reader);
    } finally {
      await reader.release();
    }
  }

  /** Sets the time limits inside the transaction when the connection goes through a pooler. */
  private limited<T>(work: Work<T>): Work<T> {
    if (!this.settings.isPooled) return work;
    const limits = Object.entries(serverLimits(this.settings)).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
    return async (manager) => {
      await manager.query(limits.join('; '));
      return work(manager);
    };
  }

  private sourceOfRequest(): ChangeSource {
    const context = requestContext();
    if (!context) return this.background;
    const name = context.actor ? `admin ${context.actor.id}` : 'logins';
    return { name, maxRunning: MAX_RUNNING_PER_ADMIN, isRefusable: true };
  }
}

type IsolationLevel = Parameters<QueryRunner['startTransaction']>[0] & string;

/** Names of the pools as the server shows them in `pg_stat_activity`. */
const WRITES = 'rampart-writes';
const READS = 'rampart-reads';
const SUBSCRIPTIONS = 'rampart-subscriptions';

/** The data source as `createDataSource` made it. */
export function asDatabase(source: DataSource): Database {
  if (source instanceof Database) return source;
  throw new Error('the data source was not made by createDataSource');
}
