/** What stands in place of a secret. */
export const MASK = '***';

/**
 * Names of members whose values are masked in the log, without separators and in lower case: `api_key` and `apiKey` are
 * both `apikey`.
 */
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

/** Words that make any name a secret, for documents with free member names: headers, and the configuration of a core. */
const SECRET_WORDS = /apikey|authorization|cookie|password|secret|token/;

/** Members that may have any text: a user can be named by a UUID. */
const LABELS = new Set(['email', 'name', 'note', 'remark', 'tag', 'username']);

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/** A value with its secrets masked. `path` is the path of the value in the entry; a secret member masks only itself. */
export function masked(path: string, value: unknown): unknown {
  const name = path.slice(path.lastIndexOf('.') + 1);
  // A list index carries no meaning, so elements are judged by the name of their list.
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

/** Masks a value unless it is empty or a boolean, so that the log still shows whether there was one. */
export const maskedEntirely = (value: unknown): unknown => (isShownAlways(value) ? value : MASK);

/** Whether a member of an object is a secret: by its name, or as the `value` beside a `name` that is one. */
export function hasSecretMember(of: object, member: string): boolean {
  if (isSecretName(member)) return true;
  if (member !== 'value') return false;
  return ['name', 'key'].some((label) => isSecretName(String(Object.hasOwn(of, label) ? Reflect.get(of, label) : '')));
}

function isSecret(name: string, value: unknown): boolean {
  if (isShownAlways(value)) return false;
  // The credential of a user is a text named `id`, whereas ids of rows are numbers.
  if (name === 'id') return typeof value === 'string';
  return isSecretName(name) || (typeof value === 'string' && UUID.test(value) && !LABELS.has(name));
}

const isShownAlways = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || typeof value === 'boolean';

function isSecretName(name: string): boolean {
  const plain = name.replaceAll(/[-_]/g, '').toLowerCase();
  return SECRETS.has(plain) || SECRET_WORDS.test(plain);
}

const listName = (path: string): string => path.split('.').findLast((name) => !/^\d+$/.test(name)) ?? '';
