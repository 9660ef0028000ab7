import { ManagementError } from './management-error.js';

const RETRY_SECONDS = '5';

/** The database did not answer in time; the caller may try again later. */
export const databaseBusy = (): ManagementError =>
  new ManagementError('DATABASE_BUSY', undefined, { 'retry-after': RETRY_SECONDS });

/** Too many changes wait for the database. */
export const tooManyWaiting = (): ManagementError =>
  new ManagementError('CHANGE_QUEUE_FULL', undefined, { 'retry-after': RETRY_SECONDS });
