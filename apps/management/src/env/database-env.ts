import { IsBetween, parseInteger, Setting } from '@rampart/program';
import { IsOptional, ValidateBy } from 'class-validator';
import { type DatabaseSettings, DEFAULT_SETTINGS } from './database-settings.js';
import { IsPostgresUrl } from './env-rules.js';
import { HttpEnv } from './http-env.js';

/** The other URLs make sense only beside DATABASE_URL. */
const NeedsDatabaseUrl = (message: string): PropertyDecorator =>
  ValidateBy(
    {
      name: 'needsDatabaseUrl',
      validator: {
        validate: (url, args) => url === undefined || Reflect.get(args?.object ?? {}, 'databaseUrl') !== undefined,
      },
    },
    { message },
  );

/** Settings of the database; `ManagementEnv` is the end of this chain of classes. */
export class DatabaseEnv extends HttpEnv {
  @Setting({
    name: 'DATABASE_URL',
    help: 'URL of a PostgreSQL server; without it management runs one in the data folder',
    secret: true,
  })
  @IsOptional()
  @IsPostgresUrl()
  readonly databaseUrl: string | undefined;

  @Setting({
    name: 'DATABASE_DIRECT_URL',
    secret: true,
    help: 'URL of the same database that bypasses the transaction pooler, such as PgBouncer, which DATABASE_URL names',
  })
  @NeedsDatabaseUrl('needs DATABASE_URL beside it, which names the pooler')
  @IsOptional()
  @IsPostgresUrl()
  readonly databaseDirectUrl: string | undefined;

  @Setting({
    name: 'DATABASE_OWNER_URL',
    secret: true,
    help:
      'URL of the same database with the role that owns its tables, for migrations and backups; then the role of DATABASE_URL ' +
      'may only read and write rows',
  })
  @NeedsDatabaseUrl('needs DATABASE_URL beside it, with the role of the service')
  @IsOptional()
  @IsPostgresUrl()
  readonly databaseOwnerUrl: string | undefined;

  @Setting({
    name: 'RAMPART_DATABASE_WRITES',
    help: 'number of database connections for changes, and thus of changes that are made at once',
    fallback: `${DEFAULT_SETTINGS.writeConnections}`,
    parse: parseInteger,
  })
  @IsBetween(2, 100)
  readonly databaseWrites: number;

  @Setting({
    name: 'RAMPART_DATABASE_READS',
    help: 'number of database connections for lists and other reads',
    fallback: `${DEFAULT_SETTINGS.readConnections}`,
    parse: parseInteger,
  })
  @IsBetween(2, 100)
  readonly databaseReads: number;

  @Setting({
    name: 'RAMPART_DATABASE_SUBSCRIPTIONS',
    help: 'number of database connections for subscriptions and access checks',
    fallback: `${DEFAULT_SETTINGS.subscriptionConnections}`,
    parse: parseInteger,
  })
  @IsBetween(2, 100)
  readonly databaseSubscriptions: number;

  @Setting({
    name: 'RAMPART_WAITING_CHANGES',
    help: 'maximum number of changes that wait for a database connection; further ones are answered with 503',
    fallback: `${DEFAULT_SETTINGS.waitingChanges}`,
    parse: parseInteger,
  })
  @IsBetween(1, 100_000)
  readonly waitingChanges: number;

  @Setting({
    name: 'RAMPART_STATEMENT_SECONDS',
    help: 'seconds after which the database cancels a statement; the request is answered with 503',
    fallback: `${DEFAULT_SETTINGS.statementSeconds}`,
    parse: parseInteger,
  })
  @IsBetween(1, 3_600)
  readonly statementSeconds: number;

  @Setting({
    name: 'RAMPART_LOCK_SECONDS',
    help: 'seconds that a change waits for rows that another change has locked; then it is answered with 503',
    fallback: `${DEFAULT_SETTINGS.lockSeconds}`,
    parse: parseInteger,
  })
  @IsBetween(1, 3_600)
  readonly lockSeconds: number;

  /** The settings of the database connection. */
  get databaseSettings(): Partial<DatabaseSettings> {
    return {
      writeConnections: this.databaseWrites,
      readConnections: this.databaseReads,
      subscriptionConnections: this.databaseSubscriptions,
      waitingChanges: this.waitingChanges,
      statementSeconds: this.statementSeconds,
      lockSeconds: this.lockSeconds,
    };
  }
}
