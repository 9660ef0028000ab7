// For the TypeORM command line: npx typeorm migration:show -d dist/database/cli-data-source.js, with DATABASE_URL set.
import 'reflect-metadata';
import { readManagementEnv } from '../env/management-env.js';
import { createDataSource } from './data-source.js';
import { DatabaseError } from './open-database.js';

const { databaseUrl } = readManagementEnv();
if (databaseUrl === undefined) throw new DatabaseError('DATABASE_URL must name the database to work on');

export default createDataSource(databaseUrl);
