/** What stands in place of a secret. */
export const MASK = '***';

/** Names of members that are secrets, though they do not look like it, without separators and in lower case. */
const SECRETS = new Set(['decryption', 'discordwebhook', 'subscriptionurl', 'subscriptionurls']);

/** What makes any name a secret, for documents with free member names: headers, and the configuration of a core. */
const SECRET_PARTS = /authorization|cookie|credentials$|passphrase|passw(?:or)?d|secret|token/;
const SECRET_WORDS = new Set(['auth', 'jwt', 'key', 'keys', 'pass', 'psk', 'pwd', 'seed', 'signature']);
const SECRET_ENDS = /(?:auth|jwt|keys?|pass|psk|pwd|seed|signature)$/;
const NO_SECRETS = /(?:publickeys?|bypass)$/;

/** Headers whose values are no secrets. Any other may be one, whatever its name. */
const HARMLESS_HEADERS = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-disposition',
  'content-length',
  'content-type',
  'date',
  'dnt',
  'host',
  'origin',
  'pragma',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'server',
  'te',
  'transfer-encoding',
  'upgrade',
  'upgrade-insecure-requests',
  'user-agent',
  'vary',
]);

/** Any part of a path that names headers; those of subscriptions are sent to everybody. */
const HEADERS = /(?:^|\.)(?!response_headers(?:\.|$))[^.]*headers(?:\.|$)/i;

/** Where a transport is found, without separators and in lower case. Whoever does not know it sees a web server. */
const TRANSPORT_PATHS = new Set(['path', 'servicename']);
const COMMON_PATHS = new Set<unknown>(['', '/']);

/** Where a server of DNS or of an observatory is asked. Its path is often the account of who asks. */
const ASKED_URLS = /(?:^|\.)(?:dns(?:\.|$)|probe_?url$|pingconfig\.(?:destination|connectivity)$)/i;
const COMMON_URL_PATHS = new Set(['', '/', '/dns-query', '/generate_204']);

/** Whoever connects to the domain of a reverse portal becomes its bridge. */
const REVERSE_PROXIES = /(?:^|\.)reverse\.(?:portals|bridges)(?:\.\d+)?$/i;

/** Members that may have any text: a user can be named by a UUID. */
const LABELS = new Set(['email', 'name', 'note', 'remark', 'tag', 'username']);

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/**
 * A value with its secrets masked. `path` is the path of the value in the entry; a secret member masks only itself.
 *
 * @param domains what `reverseDomains` finds in the whole entry
 */
export function masked(path: string, value: unknown, domains: readonly string[] = reverseDomains(value)): unknown {
  const name = path.slice(path.lastIndexOf('.') + 1);
  // A list index carries no meaning, so elements are judged by the name of their list.
  const subject = /^\d+$/.test(name) ? listName(path) : name;
  if (isSecret(subject, value)) return MASK;
  if (typeof value === 'string') {
    if (/^domains?$/i.test(subject) && namesAny(value, domains)) return MASK;
    return withoutLogins(ASKED_URLS.test(path) ? withoutUrlPath(value) : value);
  }
  if (Array.isArray(value)) return value.map((item, index) => masked(`${path}.${index}`, item, domains));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      hasSecretMember(path, value, key) ? maskedEntirely(item) : masked(`${path}.${key}`, item, domains),
    ]),
  );
}

/** The domains of reverse proxies in a document: rules that lead there name them as well. */
export function reverseDomains(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    REVERSE_PROXIES.test(path) && plain(key) === 'domain'
      ? [String(item).toLowerCase()].filter((text) => text !== '')
      : reverseDomains(item, `${path}.${key}`),
  );
}

const namesAny = (rule: string, domains: readonly string[]): boolean => {
  const text = rule.replaceAll('\\', '').toLowerCase();
  return domains.some((domain) => text.includes(domain));
};

/** Masks a value unless it is empty or a boolean, so that the log still shows whether there was one. */
export const maskedEntirely = (value: unknown): unknown => (isShownAlways(value) ? value : MASK);

/** Whether a text is what `masked` shows in place of another one, in whole or in part. */
export const isMasked = (text: string): boolean => text.includes(MASK) && (text === MASK || MASKED_PARTS.test(text));

/**
 * Whether a member of an object is a secret: by its name, by a `name` beside its `value`, or because it is a header, the
 * path of a transport, who logs in to a proxy, or the domain of a reverse proxy. `path` is the path of the object.
 */
export function hasSecretMember(path: string, of: object, member: string): boolean {
  if (isSecretName(member)) return true;
  const value = memberOf(of, member);
  if (TRANSPORT_PATHS.has(plain(member))) return isText(value) && ![value].flat().every((one) => COMMON_PATHS.has(one));
  if (plain(member) === 'user' && isText(value) && isAccount(path, of)) return true;
  if (plain(member) === 'domain' && REVERSE_PROXIES.test(path)) return true;
  const isPair = Object.hasOwn(of, 'value') && ['name', 'key'].some((label) => Object.hasOwn(of, label));
  const labels = isPair && member === 'value' ? ['name', 'key'].map((label) => String(memberOf(of, label) ?? '')) : [];
  if (labels.some(isSecretName)) return true;
  const isLabel = isPair && member === 'name';
  if (isLabel || !isText(value) || Array.isArray(of) || !HEADERS.test(path)) return false;
  return !(isPair ? labels : [member]).some(isHarmless);
}

/** Rules name users as well, but without a password or a server beside them. */
const isAccount = (path: string, of: object): boolean =>
  ['accounts', 'users'].includes(plain(listName(path))) ||
  Object.keys(of).some((member) => ['pass', 'address'].includes(plain(member)));

function isSecret(name: string, value: unknown): boolean {
  if (isShownAlways(value)) return false;
  // The credential of a user is a text named `id`, whereas ids of rows are numbers.
  if (name === 'id') return typeof value === 'string';
  if (typeof value !== 'string') return isSecretName(name);
  // Whole headers as lines.
  if (HEADERS.test(name)) return !value.split(/\r?\n/).every((line) => isHarmless(line.slice(0, line.indexOf(':'))));
  return isSecretName(name) || (UUID.test(value) && !LABELS.has(name));
}

const isShownAlways = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || typeof value === 'boolean';

/** A text or a number, or a list of such. */
const isText = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item !== 'object') : typeof value !== 'object';

function isSecretName(name: string): boolean {
  const whole = plain(name);
  if (SECRETS.has(whole) || SECRET_PARTS.test(whole)) return true;
  if (NO_SECRETS.test(whole)) return false;
  return SECRET_ENDS.test(whole) || wordsOf(name).some((word) => SECRET_WORDS.has(word));
}

const isHarmless = (header: string): boolean => HARMLESS_HEADERS.has(header.trim().toLowerCase());

const plain = (name: string): string => name.replaceAll(/[-_]/g, '').toLowerCase();

/** The words of a name, however they are joined. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);

/** What stands before the `@` of a URL, all of a link that encodes it, and parameters with names of secrets. */
function withoutLogins(text: string): string {
  if (!/[:=/]/.test(text)) return text;
  return text
    .replaceAll(/\b(vmess|ssr?):\/\/[^\s#]+/gi, (link, scheme) => (link.includes('@') ? link : `${scheme}://${MASK}`))
    .replaceAll(/\/\/[^\s/?#]*@/g, `//${MASK}@`)
    .replace(/^[^\s/:@]+:[^\s/@]+@/, `${MASK}@`)
    .replaceAll(/([?&;])([^\s=&?#;]{1,64})=[^\s&#;]+/g, (parameter, before, name) =>
      isSecretName(name) ? `${before}${name}=${MASK}` : parameter,
    );
}

/** Keeps the server of a URL. */
const withoutUrlPath = (text: string): string =>
  text.replace(/^([a-z][\w+.-]*:\/\/[^\s/?#]+)([/?#]\S*)$/i, (url, server, path) =>
    COMMON_URL_PATHS.has(path) ? url : `${server}/${MASK}`,
  );

const MASKED_PARTS =
  /^[a-z][\w+.-]*:\/\/[^\s/?#]+\/\*{3}$|(?:^|\/\/)\*\*\*@|[?&;][^\s=&?#;]{1,64}=\*\*\*(?:[&#;]|$)|\b(?:vmess|ssr?):\/\/\*\*\*/i;

const memberOf = (of: object, member: string): unknown =>
  Object.hasOwn(of, member) ? Reflect.get(of, member) : undefined;

const listName = (path: string): string => path.split('.').findLast((name) => !/^\d+$/.test(name)) ?? '';
