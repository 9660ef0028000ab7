import type { ManagementEnv } from '../env/management-env.js';

export type DatabaseUrls = Partial<Pick<ManagementEnv, 'databaseUrl' | 'databaseDirectUrl' | 'databaseOwnerUrl'>>;

/** A URL of the database, and the setting that has it, for messages. */
export interface OwnerUrl {
  readonly url: string;
  readonly setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_OWNER_URL';
}

/**
 * The URL among the settings that leads past any pooler, with the role that owns the tables; undefined where the server is
 * the embedded one.
 */
export function ownerUrlOf({ databaseUrl, databaseDirectUrl, databaseOwnerUrl }: DatabaseUrls): OwnerUrl | undefined {
  if (databaseOwnerUrl !== undefined) return { url: databaseOwnerUrl, setting: 'DATABASE_OWNER_URL' };
  if (databaseDirectUrl !== undefined) return { url: databaseDirectUrl, setting: 'DATABASE_DIRECT_URL' };
  return databaseUrl === undefined ? undefined : { url: databaseUrl, setting: 'DATABASE_URL' };
}
