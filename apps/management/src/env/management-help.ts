import { settingsTable } from '@rampart/program';
import { ManagementEnv } from './management-env.js';

/** The text of `--help`. */
export const managementHelp = (): string => `Usage: rampart-management [--help]

Serves the API and subscriptions, maintains the database and controls the nodes. Commands for operators, such as the creation
of an admin, are part of the program "rampart" (rampart --help).

To replace a key, set the new key and keep the old one in the setting that ends in _PREVIOUS. With several replicas, first
give the new key to every replica as _PREVIOUS, so that all of them accept it before one begins to use it. The database
stores the ids of the keys that it is used with: a replica with other keys, or without the keys.json that it had, refuses to
start. "rampart keys forget" lets it start with other keys. Everything that was made with the lost keys (logins, subscription links,
API keys of nodes, configurations of cores) is lost then.

Settings are environment variables:

${settingsTable(ManagementEnv)}

What DATABASE_URL leaves out is read from PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE. gRPC calls to nodes
use the proxy that grpc_proxy or https_proxy names, except for hosts in no_grpc_proxy or no_proxy. NO_COLOR=1 removes colours
from the log on a terminal. Node.js reads variables of its own, such as NODE_OPTIONS.
`;
