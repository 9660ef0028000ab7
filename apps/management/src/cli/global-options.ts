import { controlSocketIn, readCommandEnv } from '../env/command-env.js';
import { ManagementClient } from './management-client.js';

/** The options that every command has. */
export interface GlobalOptions {
  readonly json?: true;
  /** The path of the control socket; absent: that of the data folder in the settings. */
  readonly socket?: string;
}

/** A client of the running service. */
export const managementOf = ({ socket }: GlobalOptions): ManagementClient =>
  new ManagementClient(socket ?? controlSocketIn(readCommandEnv().dataDir));
