const MASK = '***';

/** Members whose value nobody may read in the log, however they are spelled: `api_key`, `apiKey`. */
const SECRETS = new Set([
  'apikey',
  'auth',
  'decryption',
  'discordwebhook',
  'echserverkeys',
  'key',
  'keyfile',
  'mldsa65seed',
  'pass',
  'passwd',
  'password',
  'passwordhash',
  'presharedkey',
  'privatekey',
  'psk',
  'secret',
  'secretkey',
  'seed',
  'subscriptionurl',
  'subscriptionurls',
  'token',
]);

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/** A value as the log may show it. `path` is where it stands; a secret in one of its members is covered alone. */
export function masked(path: string, value: unknown): unknown {
  const name = path.slice(path.lastIndexOf('.') + 1);
  // A list index says nothing: what stands in the list is what its name says.
  const subject = /^\d+$/.test(name) ? listName(path) : name;
  if (isSecret(subject, value)) return MASK;
  if (Array.isArray(value)) return value.map((item, index) => masked(`${path}.${index}`, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(`${path}.${key}`, item)]));
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null || value === '' || typeof value === 'boolean') return false;
  // Credentials of users are called `id` as rows are, but rows have numbers.
  if (name === 'id') return typeof value === 'string';
  return SECRETS.has(name.replaceAll(/[-_]/g, '').toLowerCase()) || (typeof value === 'string' && UUID.test(value));
}

const listName = (path: string): string => path.split('.').findLast((name) => !/^\d+$/.test(name)) ?? '';
