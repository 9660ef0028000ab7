const MASK = '***';

/** Members whose value nobody may read in the log, however they are spelled: `api_key`, `apiKey`. */
const SECRETS = new Set([
  'auth',
  'decryption',
  'discordwebhook',
  'echserverkeys',
  'key',
  'keyfile',
  'mldsa65seed',
  'pass',
  'passwd',
  'presharedkey',
  'privatekey',
  'psk',
  'seed',
  'subscriptionurl',
  'subscriptionurls',
]);

/** In documents of which any member may have any name: headers, and whatever a core holds. */
const SECRET_WORDS = /apikey|authorization|cookie|password|secret|token/;

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/** A value as the log may show it. `path` is where it stands; a secret in one of its members is covered alone. */
export function masked(path: string, value: unknown): unknown {
  const name = path.slice(path.lastIndexOf('.') + 1);
  // A list index says nothing: what stands in the list is what its name says.
  const subject = /^\d+$/.test(name) ? listName(path) : name;
  if (isSecret(subject, value)) return MASK;
  if (Array.isArray(value)) return value.map((item, index) => masked(`${path}.${index}`, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      hasSecretMember(value, key) ? maskedEntirely(item) : masked(`${path}.${key}`, item),
    ]),
  );
}

/** A value of which nothing may be shown, but that there is none. */
export const maskedEntirely = (value: unknown): unknown => (isShownAlways(value) ? value : MASK);

/** Whether nothing of an object's member may be shown: by its name, or as the `value` of a `name` that says so. */
export function hasSecretMember(of: object, member: string): boolean {
  if (isSecretName(member)) return true;
  if (member !== 'value') return false;
  return ['name', 'key'].some((label) => isSecretName(String(Object.hasOwn(of, label) ? Reflect.get(of, label) : '')));
}

function isSecret(name: string, value: unknown): boolean {
  if (isShownAlways(value)) return false;
  // Credentials of users are called `id` as rows are, but rows have numbers.
  if (name === 'id') return typeof value === 'string';
  return isSecretName(name) || (typeof value === 'string' && UUID.test(value));
}

const isShownAlways = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || typeof value === 'boolean';

function isSecretName(name: string): boolean {
  const plain = name.replaceAll(/[-_]/g, '').toLowerCase();
  return SECRETS.has(plain) || SECRET_WORDS.test(plain);
}

const listName = (path: string): string => path.split('.').findLast((name) => !/^\d+$/.test(name)) ?? '';
