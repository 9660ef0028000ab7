import { MAX_INT32, USERNAME_SCHEMA } from '@rampart/domain';
import { SUBSCRIPTION_FORMATS } from '@rampart/subscription';
import { CLEARABLE } from '../usage/clear-usage.service.js';
import { ADMIN_NAME_SCHEMA } from '../validation/admin-name.js';
import type { Schema } from '../validation/json-schema.js';

const id = (description: string): Schema => ({ type: 'integer', minimum: 1, maximum: MAX_INT32, description });
const TOKEN = 'The secret token of a subscription: the last part of the `subscription_url` of a user.';

/** Schemas of path parameters by the segment before them, since `username` names both users and admins. */
const PARAMETERS: Readonly<Record<string, Schema>> = {
  'admin/:username': { type: 'string', ...ADMIN_NAME_SCHEMA, description: 'The name of an admin.' },
  'token/:token_id': id('The id of an API token.'),
  'session/:session_id': id('The id of a session.'),
  'user/:username': { type: 'string', ...USERNAME_SCHEMA, description: 'The name of a user.' },
  'online_stats/:username': { type: 'string', ...USERNAME_SCHEMA, description: 'The name of a user.' },
  'core/:core_id': id('The id of a core configuration.'),
  'group/:group_id': id('The id of a group.'),
  'host/:host_id': id('The id of a host.'),
  'hosts/:host_id': id('The id of a host.'),
  'node/:node_id': id('The id of a node.'),
  'user_template/:template_id': id('The id of a user template.'),
  'sub/:token': { type: 'string', description: TOKEN },
  'probe/:token': { type: 'string', description: 'The secret token of a probe, which is valid for ten minutes.' },
  ':token/:format': {
    type: 'string',
    enum: SUBSCRIPTION_FORMATS,
    description: 'The format of the answer. The settings can switch each of them off.',
  },
  'clear_usage_data/:table': {
    type: 'string',
    enum: CLEARABLE,
    description: 'Which history: `node_user_usages`, what users used, or `node_usages`, what nodes exchanged.',
  },
};

/** The schema of a path parameter. @throws Error for a parameter that is not in the table above */
export function pathParameter(path: string, name: string): Schema {
  const segments = path.split('/');
  const place = segments.indexOf(`:${name}`);
  const known = PARAMETERS[segments.slice(place - 1, place + 1).join('/')];
  if (known) return known;
  throw new Error(`openapi/path-parameters.ts does not say what ${name} in ${path} is`);
}
