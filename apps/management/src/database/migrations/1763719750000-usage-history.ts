import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UsageHistory1763719750000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM counters WHERE name LIKE 'deleted\\_nodes\\_%'");
    await runner.query('DROP TABLE node_user_usages, admin_usages, node_usages');
  }
}

const STATEMENTS = [
  // The user comes first: what one user used is one range of each day's index.
  `CREATE TABLE node_user_usages (
    user_id integer NOT NULL,
    hour timestamptz NOT NULL,
    node_id integer NOT NULL,
    used_traffic bigint NOT NULL,
    CONSTRAINT node_user_usages_pkey PRIMARY KEY (user_id, hour, node_id)
  ) PARTITION BY RANGE (hour)`,
  `CREATE TABLE admin_usages (
    admin_id integer NOT NULL,
    hour timestamptz NOT NULL,
    node_id integer NOT NULL,
    used_traffic bigint NOT NULL,
    CONSTRAINT admin_usages_pkey PRIMARY KEY (admin_id, hour, node_id)
  )`,
  `CREATE TABLE node_usages (
    hour timestamptz NOT NULL,
    node_id integer NOT NULL,
    uplink bigint NOT NULL DEFAULT 0,
    downlink bigint NOT NULL DEFAULT 0,
    used_traffic bigint NOT NULL DEFAULT 0,
    CONSTRAINT node_usages_pkey PRIMARY KEY (hour, node_id)
  )`,
  // What deleted nodes have exchanged, which no row of a node tells any more.
  "INSERT INTO counters (name, value) VALUES ('deleted_nodes_uplink', 0), ('deleted_nodes_downlink', 0)",
];
