import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Failed logins of a name are counted for each network: in the order of bytes, those of a name stand together. */
export class LoginNetworks1763719810000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE login_failures ALTER subject TYPE varchar(128) COLLATE "C"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM login_failures WHERE length(subject) > 80');
    await runner.query('ALTER TABLE login_failures ALTER subject TYPE varchar(80) COLLATE "default"');
  }
}
