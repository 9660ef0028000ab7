import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADMINS } from '../schema/admins.js';
import { CONFIGURATION } from '../schema/configuration.js';
import { LIFE_CYCLE } from '../schema/life-cycle.js';
import { createLogMonths } from '../schema/log-months.js';
import { LOGS } from '../schema/logs.js';
import { NODES } from '../schema/nodes.js';
import { PARTITION_FUNCTIONS } from '../schema/partitions.js';
import { PROBES } from '../schema/probes.js';
import { USER_TRIGGERS } from '../schema/user-rows.js';
import { USER_LIST_INDEXES, USERS } from '../schema/users.js';

/** The tables of the first release. Later changes get migrations of their own; the statements here then stay as they are. */
export class FirstSchema1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
    await createLogMonths(runner.manager);
  }

  /** The extension pg_trgm is kept, because it may have existed before. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${TABLES.join(', ')}`);
    await runner.query(`DROP FUNCTION ${FUNCTIONS.join(', ')}`);
  }
}

const STATEMENTS = [
  ...CONFIGURATION,
  ...ADMINS,
  ...USERS,
  ...USER_LIST_INDEXES,
  ...USER_TRIGGERS,
  ...LIFE_CYCLE,
  ...NODES,
  ...PROBES,
  ...LOGS,
  ...PARTITION_FUNCTIONS,
];

const created = (kind: string): string[] =>
  STATEMENTS.flatMap((statement) => new RegExp(`^CREATE ${kind} (\\w+)`).exec(statement)?.[1] ?? []);

const TABLES = created('TABLE');
const FUNCTIONS = created('FUNCTION');
