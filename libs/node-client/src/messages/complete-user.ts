import { NodeClientError } from '../errors/node-client-error.js';
import { type DeepPartial, Proxy as ProxyMessage, type User } from '../gen/service.js';

const MAX_UINT64 = 2n ** 64n - 1n;

/** The text fields of each kind of credentials. */
const CREDENTIALS: Readonly<Record<keyof ProxyMessage, readonly string[]>> = {
  vmess: ['id'],
  vless: ['id', 'flow'],
  trojan: ['password'],
  shadowsocks: ['password', 'method'],
  wireguard: ['publicKey'],
  hysteria: ['auth'],
};

/**
 * Completes a partial user: missing fields become empty. A complete user is returned unchanged.
 *
 * @throws NodeClientError `INVALID_ARGUMENT`, which names the user and the field with a value of the wrong type.
 */
export function completeUser(given: DeepPartial<User>): User {
  if (!isObject(given)) throw invalid('a user', 'an object');
  const { email = '', inbounds = [], revision = 0n, proxies } = given;
  assertText(email, 'email of a user');
  const whose = `of user "${email}"`;
  assertTextList(inbounds, `inbounds ${whose}`);
  const number = toUint64(revision, `revision ${whose}`);
  const credentials = proxies === undefined ? undefined : completeProxy(proxies, whose);
  const isWhole = given.email === email && given.inbounds === inbounds && given.revision === number;
  if (isWhole && credentials === proxies) return given as User;
  return { email, inbounds, revision: number, proxies: credentials };
}

/**
 * Converts an integer to an unsigned one of 64 bits.
 *
 * @param name names the value in the error.
 * @throws NodeClientError `INVALID_ARGUMENT` for any other value.
 */
export function toUint64(given: bigint | number | string, name: string): bigint {
  const number = typeof given === 'bigint' ? given : parsed(given);
  if (number === undefined || number < 0n || number > MAX_UINT64) throw invalid(name, 'an integer from 0 to 2^64 - 1');
  return number;
}

const parsed = (given: unknown): bigint | undefined => {
  if (typeof given === 'number') return Number.isSafeInteger(given) ? BigInt(given) : undefined;
  return typeof given === 'string' && /^\d{1,20}$/.test(given) ? BigInt(given) : undefined;
};

function completeProxy(given: DeepPartial<ProxyMessage>, whose: string): ProxyMessage {
  if (!isObject(given)) throw invalid(`proxies ${whose}`, 'an object');
  let isWhole = true;
  for (const [kind, fields] of KINDS) {
    const credentials: unknown = given[kind];
    if (credentials === undefined) continue;
    if (!isObject(credentials)) throw invalid(`${kind} ${whose}`, 'an object');
    for (const field of fields) {
      const value: unknown = Reflect.get(credentials, field);
      if (value === undefined) isWhole = false;
      else assertText(value, `${kind}.${field} ${whose}`);
    }
  }
  const { wireguard } = given;
  if (wireguard?.peerIps) assertTextList(wireguard.peerIps, `wireguard.peerIps ${whose}`);
  else if (wireguard) isWhole = false;
  return isWhole ? (given as ProxyMessage) : ProxyMessage.fromPartial(given);
}

const KINDS = Object.entries(CREDENTIALS) as readonly [keyof ProxyMessage, readonly string[]][];

function assertText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw invalid(name, 'a text');
}

function assertTextList(value: unknown, name: string): void {
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) throw invalid(name, 'a list of texts');
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const invalid = (name: string, kind: string): NodeClientError =>
  new NodeClientError('INVALID_ARGUMENT', `${name} must be ${kind}`);
