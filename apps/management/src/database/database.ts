import pg from 'pg';
import { DataSource, type DataSourceOptions, type EntityManager, type QueryRunner } from 'typeorm';
import { requestContext } from '../access/request-context.js';
import { type DatabaseSettings, serverLimits } from '../env/database-settings.js';
import { isConnectionEnded } from '../errors/to-management-error.js';
import { ChangeQueue, type ChangeSource } from './change-queue.js';
import { DatabasePool } from './database-pool.js';

type Work<T> = (manager: EntityManager) => Promise<T>;

/** Its changes follow each other anyway, by the revision: the second is ready when the first ends. */
const OF_ONE_ADMIN = 2;

/**
 * The data source of TypeORM over two pools, and a third beside it. Transactions are changes: they wait for their turn, then
 * take a connection for writing. What is read outside of one takes a connection for reading.
 */
export class Database extends DataSource {
  /** For subscriptions, and for the question who asks. */
  readonly subscriptions: DatabasePool;
  private readonly pools: readonly DatabasePool[];
  private readonly changes: ChangeQueue;
  private readonly background: ChangeSource;

  constructor(
    /** What everything but locks that last and LISTEN goes through. */
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
        super({ ...config, max: sizes[config.application_name ?? ''] ?? 1 }, settings);
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

  /** Whoever waits for the database or has asked it is told that it does not answer, until `restore`. */
  suspend(): void {
    for (const pool of this.pools) pool.suspend();
    this.changes.refuseAll();
  }

  resume(): void {
    for (const pool of this.pools) pool.resume();
  }

  /** Past a pooler, where there is one. */
  get directUrl(): string {
    return this.settings.directUrl ?? this.url;
  }

  /** For lists and other reads. */
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

  /** A transaction that waits in another lane than that of the request. */
  transactionFor<T>(lane: ChangeSource, ...given: [Work<T>] | [IsolationLevel, Work<T>]): Promise<T> {
    const [isolation, work] = given.length === 2 ? given : [undefined, given[0]];
    return this.changes.run(lane, () => this.begin(isolation, this.limited(work)));
  }

  /** After a restart of the server, every pooled connection fails once: a transaction that has not begun takes another one. */
  private async begin<T>(isolation: IsolationLevel | undefined, work: Work<T>): Promise<T> {
    let hasBegun = false;
    const marked: Work<T> = (manager) => {
      hasBegun = true;
      return work(manager);
    };
    for (let ended = 0; ; ended += 1) {
      try {
        return await (isolation ? this.manager.transaction(isolation, marked) : this.manager.transaction(marked));
      } catch (error) {
        if (hasBegun || ended >= this.settings.writeConnections || !isConnectionEnded(error)) throw error;
      }
    }
  }

  /** What is read in `work` is of one moment. */
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

  /** Through a pooler, a transaction brings its limits along. */
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
    return { name, maxRunning: OF_ONE_ADMIN, isRefusable: true };
  }
}

type IsolationLevel = Parameters<QueryRunner['startTransaction']>[0] & string;

/** As the server shows connections. */
const WRITES = 'rampart-writes';
const READS = 'rampart-reads';
const SUBSCRIPTIONS = 'rampart-subscriptions';

/** As the program made it. */
export function asDatabase(source: DataSource): Database {
  if (source instanceof Database) return source;
  throw new Error('the data source was not made by createDataSource');
}
