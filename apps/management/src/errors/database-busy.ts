import { ManagementError } from './management-error.js';

const RETRY_SECONDS = '5';

/** The database does not answer in time; whether it does a moment later cannot be known. */
export const databaseBusy = (): ManagementError =>
  new ManagementError('DATABASE_BUSY', undefined, { 'retry-after': RETRY_SECONDS });

/** More changes wait for the database than may. */
export const tooManyWaiting = (): ManagementError =>
  new ManagementError('CHANGE_QUEUE_FULL', undefined, { 'retry-after': RETRY_SECONDS });
