import { expect, it } from '@jest/globals';
import { until } from '@rampart/testing';
import { readManagementEnv } from '../../env/management-env.js';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import { User } from '../../user-store/entities/user.entity.js';
import { UserLifeCycle } from './user-life-cycle.js';

it('the life cycle runs by itself from the start of the service to its end', async () => {
  const database = await createMigratedDatabase();
  const due = (username: string) =>
    database.query(`INSERT INTO users (username, expire) VALUES ($1, '2020-01-01')`, [username]);
  const expired = () => database.manager.countBy(User, { status: 'expired' });

  await due('missed');
  const lifeCycle = new UserLifeCycle(database, readManagementEnv({}));
  lifeCycle.onApplicationBootstrap();
  await until(async (saw) => saw(await expired()) === 1);
  await due('next');
  await until(async (saw) => saw(await expired()) === 2);

  await lifeCycle.beforeApplicationShutdown();
  await due('late');
  await lifeCycle.stop();
  expect(await expired()).toBe(2);
});
