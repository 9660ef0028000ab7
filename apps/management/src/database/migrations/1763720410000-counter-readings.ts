import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the traffic counters of nodes without CollectTraffic said when they were last read. */
export class CounterReadings1763720410000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE counter_readings (
      node_id integer NOT NULL CONSTRAINT counter_readings_pkey PRIMARY KEY,
      number bigint NOT NULL,
      address text NOT NULL,
      read_at timestamptz NOT NULL,
      engine_uptime bigint NOT NULL,
      uplink bigint NOT NULL,
      downlink bigint NOT NULL
    )`);
    // Room in each page for what takes the place of a row: the index hears of nothing then.
    await runner.query(`CREATE TABLE user_counters (
      node_id integer NOT NULL,
      user_id integer NOT NULL,
      uplink bigint NOT NULL,
      downlink bigint NOT NULL,
      CONSTRAINT user_counters_pkey PRIMARY KEY (node_id, user_id)
    ) WITH (fillfactor = 80)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE user_counters, counter_readings');
  }
}
