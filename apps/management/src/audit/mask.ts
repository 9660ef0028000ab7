import { setImmediate as nextTurn } from 'node:timers/promises';
import { holdsHeaders, type Place, placeBelow, TOP } from './place.js';

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

/** Where a transport is found, without separators and in lower case. Whoever does not know it sees a web server. */
const TRANSPORT_PATHS = new Set(['path', 'servicename']);
const COMMON_PATHS = new Set<unknown>(['', '/']);

/** The members of an observatory that say which URL is asked. */
const PROBE_URL = /^probe_?url$/i;
const PING_TARGETS = /^(?:destination|connectivity)$/i;
const COMMON_URL_PATHS = new Set(['', '/', '/dns-query', '/generate_204']);

/** Members that may have any text: a user can be named by a UUID. */
const LABELS = new Set(['email', 'name', 'note', 'remark', 'tag', 'username']);

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/** How many values are masked between two turns of the event loop. */
const VALUES_IN_A_TURN = 500;

/**
 * A value with its secrets masked; a secret member masks only itself.
 *
 * @param place where the value stands in the entry
 * @param domains what `reverseDomains` finds in the whole entry
 */
export function masked(value: unknown, place = TOP, domains: ReadonlySet<string> = reverseDomains(value)): unknown {
  const steps = maskSteps(value, place, { domains, values: 0 });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Like `masked`, for lists and documents of any size: others get turns of the event loop meanwhile. */
export async function maskedInTurns(documents: readonly unknown[]): Promise<unknown[]> {
  const shown: unknown[] = [];
  let values = 0;
  for (const document of documents) {
    const masking = { domains: reverseDomains(document), values };
    const steps = maskSteps(document, TOP, masking);
    let step = steps.next();
    while (!step.done) {
      await nextTurn();
      step = steps.next();
    }
    shown.push(step.value);
    values = masking.values;
  }
  return shown;
}

interface Masking {
  readonly domains: ReadonlySet<string>;
  /** How many values were masked. */
  values: number;
}

function* maskSteps(value: unknown, place: Place, masking: Masking): Generator<undefined, unknown> {
  masking.values += 1;
  if (masking.values % VALUES_IN_A_TURN === 0) yield;
  // An element is judged by the name of its list.
  if (isSecret(place.name, value)) return MASK;
  if (typeof value === 'string') return maskedText(value, place, masking.domains);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(yield* maskSteps(item, place, masking));
    return items;
  }
  const members: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const isHidden = hasSecretMember(place, value, key);
    members.push([key, isHidden ? maskedEntirely(item) : yield* maskSteps(item, placeBelow(place, key), masking)]);
  }
  return Object.fromEntries(members);
}

function maskedText(text: string, place: Place, domains: ReadonlySet<string>): string {
  if (/^domains?$/i.test(place.name) && namesAny(text, domains)) return MASK;
  return withoutLogins(isAskedUrl(place) ? withoutUrlPath(text) : text);
}

/** The domains of reverse proxies in a document: rules that lead there name them as well. */
export function reverseDomains(value: unknown): Set<string> {
  const found = new Set<string>();
  const search = (one: unknown, place: Place): void => {
    if (typeof one !== 'object' || one === null) return;
    if (Array.isArray(one)) {
      for (const item of one) search(item, place);
      return;
    }
    const isProxy = isReverseProxy(place);
    for (const [key, item] of Object.entries(one)) {
      if (isProxy && wordOf(key).plain === 'domain') found.add(String(item).toLowerCase());
      else search(item, placeBelow(place, key));
    }
  };
  search(value, TOP);
  found.delete('');
  return found;
}

/** Where a server of DNS or of an observatory is asked. Its path is often the account of who asks. */
const isAskedUrl = ({ name, above, isInDns }: Place): boolean =>
  isInDns || PROBE_URL.test(name) || (PING_TARGETS.test(name) && above.toLowerCase() === 'pingconfig');

/** Whoever connects to the domain of a reverse portal becomes its bridge. */
const isReverseProxy = ({ name, above }: Place): boolean =>
  above.toLowerCase() === 'reverse' && ['portals', 'bridges'].includes(name.toLowerCase());

function namesAny(rule: string, domains: ReadonlySet<string>): boolean {
  if (domains.size === 0) return false;
  const text = rule.replaceAll('\\', '').toLowerCase();
  return [...domains].some((domain) => text.includes(domain));
}

/** Masks a value unless it is empty or a boolean, so that the log still shows whether there was one. */
export const maskedEntirely = (value: unknown): unknown => (isShownAlways(value) ? value : MASK);

/** Whether a text is what `masked` shows in place of another one, in whole or in part. */
export const isMasked = (text: string): boolean => text.includes(MASK) && (text === MASK || MASKED_PARTS.test(text));

/**
 * Whether a member of an object is a secret: by its name, by a `name` beside its `value`, or because it is a header, the
 * path of a transport, who logs in to a proxy, or the domain of a reverse proxy. `place` is the place of the object.
 */
export function hasSecretMember(place: Place, of: object, member: string): boolean {
  const word = wordOf(member);
  if (word.isSecret) return true;
  const value = memberOf(of, member);
  if (TRANSPORT_PATHS.has(word.plain)) return isText(value) && ![value].flat().every((one) => COMMON_PATHS.has(one));
  if (word.plain === 'user' && isText(value) && isAccount(place, of)) return true;
  if (word.plain === 'domain' && isReverseProxy(place)) return true;
  const isPair = Object.hasOwn(of, 'value') && ['name', 'key'].some((label) => Object.hasOwn(of, label));
  const labels = isPair && member === 'value' ? ['name', 'key'].map((label) => String(memberOf(of, label) ?? '')) : [];
  if (labels.some(isSecretName)) return true;
  const isLabel = isPair && member === 'name';
  if (isLabel || !isText(value) || Array.isArray(of) || !place.isInHeaders) return false;
  return !(isPair ? labels : [member]).some(isHarmless);
}

/** Rules name users as well, but without a password or a server beside them. */
const isAccount = ({ name }: Place, of: object): boolean =>
  ['accounts', 'users'].includes(wordOf(name).plain) ||
  Object.keys(of).some((member) => ['pass', 'address'].includes(wordOf(member).plain));

function isSecret(name: string, value: unknown): boolean {
  if (isShownAlways(value)) return false;
  // The credential of a user is a text named `id`, whereas ids of rows are numbers.
  if (name === 'id') return typeof value === 'string';
  if (typeof value !== 'string') return isSecretName(name);
  // Whole headers as lines.
  if (holdsHeaders(name)) return !value.split(/\r?\n/).every((line) => isHarmless(line.slice(0, line.indexOf(':'))));
  return isSecretName(name) || (UUID.test(value) && !LABELS.has(name));
}

const isShownAlways = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || typeof value === 'boolean';

/** A text or a number, or a list of such. */
const isText = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item !== 'object') : typeof value !== 'object';

const isSecretName = (name: string): boolean => wordOf(name).isSecret;

/** What masks ask about a name. */
interface Word {
  /** Without separators and in lower case. */
  readonly plain: string;
  readonly isSecret: boolean;
}

/** The names of documents are few, and each is asked for many times. */
const words = new Map<string, Word>();
const MOST_WORDS = 5_000;
const LONGEST_KEPT = 64;

function wordOf(name: string): Word {
  const known = words.get(name);
  if (known) return known;
  const whole = plain(name);
  const word = { plain: whole, isSecret: meansSecret(name, whole) };
  if (words.size >= MOST_WORDS) words.clear();
  if (name.length <= LONGEST_KEPT) words.set(name, word);
  return word;
}

function meansSecret(name: string, whole: string): boolean {
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
  if (!text.includes('//') && !text.includes('@') && !text.includes('=')) return text;
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
