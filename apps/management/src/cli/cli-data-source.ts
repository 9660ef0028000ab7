// Data source for the TypeORM command line: npx typeorm migration:show -d dist/cli/cli-data-source.js, with
// DATABASE_URL set.
import 'reflect-metadata';
import { createDataSource } from '../app/data-source.js';
import { DatabaseError } from '../database/connection-error.js';
import { ownerUrlOf } from '../database/owner-url.js';
import { readManagementEnv } from '../env/management-env.js';

const { url } = ownerUrlOf(readManagementEnv()) ?? {};
if (url === undefined) throw new DatabaseError('set DATABASE_URL to the database to work on');

export default createDataSource(url);
