import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '@rampart/program';
import { errorCode } from '../errors/error-code.js';

export const KEY_NAMES = ['jwt', 'subscription', 'atRest'] as const;
export type KeyName = (typeof KEY_NAMES)[number];

type SomeKeys = Partial<Record<KeyName, Buffer | undefined>>;

const KEY_BYTES = 32;
export const KEY_ID_BYTES = 4;

/** The three secret keys of this installation: for login tokens, for subscription links, and for secrets in the database. */
export class Keys implements Readonly<Record<KeyName, Buffer>> {
  readonly jwt: Buffer;
  readonly subscription: Buffer;
  readonly atRest: Buffer;

  /** @param previous the keys before these, whose results are still accepted */
  constructor(
    keys: Readonly<Record<KeyName, Buffer>>,
    readonly previous: SomeKeys = {},
  ) {
    this.jwt = keys.jwt;
    this.subscription = keys.subscription;
    this.atRest = keys.atRest;
  }
}

/** Keys that are missing, damaged, or not those of the database. */
export class KeysError extends OperatorError {
  override readonly name = 'KeysError';

  constructor(
    readonly problem: string,
    /** What to do, in whole sentences; undefined where the problem says it. */
    readonly remedy?: string,
  ) {
    super(remedy === undefined ? problem : `${problem}. ${remedy}`);
  }
}

/** Parses a key of 32 bytes in base64 or base64url; undefined for any other text. */
export function parseKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  const canonical = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return key.length === KEY_BYTES && key.toString('base64').replace(/=+$/, '') === canonical ? key : undefined;
}

/** Identifies a key without revealing anything about it. */
export const keyId = (key: Buffer): Buffer => createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);

/**
 * The setting of each key; with `_PREVIOUS` appended it names the setting of the previous key. `keys.json` uses the
 * names of the keys.
 */
export const KEY_SETTINGS: Readonly<Record<KeyName, string>> = {
  jwt: 'RAMPART_JWT_KEY',
  subscription: 'RAMPART_SUBSCRIPTION_KEY',
  atRest: 'RAMPART_AT_REST_KEY',
};

export const keyFileIn = (dataDir: string): string => join(dataDir, 'keys.json');

/**
 * Loads the keys from the environment, and the missing ones from `keys.json`. Keys that are in neither are created
 * there and reported once.
 *
 * @param mayMake is called with the names of missing keys before they are created; it throws where that would replace
 * lost keys
 */
export async function loadKeys(
  given: SomeKeys,
  dataDir: string,
  previous: SomeKeys = {},
  tell: (line: string) => void = () => undefined,
  mayMake: (missing: readonly KeyName[]) => void = () => undefined,
): Promise<Keys> {
  const file = keyFileIn(dataDir);
  let stored = await readKeys(file);
  const missing = KEY_NAMES.filter((name) => !given[name] && !stored?.[name]);
  if (missing.length > 0) {
    mayMake(missing);
    await addMissingKeys(file, stored, given);
    tell(`Created keys in ${file}: ${missing.join(', ')}`);
    stored = await readKeys(file);
  }
  const key = (name: KeyName): Buffer => {
    const value = given[name] ?? stored?.[name];
    if (!value) throw new KeysError(`${file} was changed by another process: start again`);
    return value;
  };
  return new Keys({ jwt: key('jwt'), subscription: key('subscription'), atRest: key('atRest') }, previous);
}

/** The keys of the key file in a data folder; undefined where there is none. @throws KeysError for a damaged one */
export const readKeyFile = (dataDir: string): Promise<SomeKeys | undefined> => readKeys(keyFileIn(dataDir));

async function readKeys(file: string): Promise<SomeKeys | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new KeysError(`${file} cannot be read (${errorCode(error)})`);
  });
  if (text === undefined) return undefined;
  const keys: SomeKeys = {};
  for (const [name, value] of Object.entries(parseObject(text, file))) {
    const known = KEY_NAMES.find((key) => key === name);
    const key = typeof value === 'string' ? parseKey(value) : undefined;
    if (!known || !key)
      throw new KeysError(`${file}: "${name}" must be one of ${KEY_NAMES.join(', ')} with 32 bytes in base64`);
    keys[known] = key;
  }
  return keys;
}

/** A damaged file is an error. New keys in its place would invalidate every login and every subscription link. */
function parseObject(text: string, file: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The error below replaces the message of the parser, which would quote the secrets.
  }
  throw new KeysError(`${file} is not a JSON object: restore it from a backup, or remove it to get new keys`);
}

async function addMissingKeys(file: string, stored: SomeKeys | undefined, given: SomeKeys): Promise<void> {
  const names = KEY_NAMES.filter((name) => stored?.[name] || !given[name]);
  const keys = new Map(names.map((name) => [name, stored?.[name] ?? randomBytes(KEY_BYTES)]));
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeSynced(draft, textOfKeys(keys));
  if (stored) return rename(draft, file);
  // When two processes start together, the keys of the first one win: a link never replaces a file.
  await link(draft, file).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await unlink(draft);
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces `keys.json` in one step, so that a crash leaves the one or the other.
 *
 * @returns where the earlier file is kept; undefined where there was none, or one with the same keys
 */
export async function replaceKeyFile(
  dataDir: string,
  keys: ReadonlyMap<KeyName, Buffer>,
  now: Date,
): Promise<string | undefined> {
  const file = keyFileIn(dataDir);
  const stored = await readKeys(file).catch(() => 'unreadable' as const);
  const isSame = (name: KeyName) =>
    stored !== 'unreadable' && keys.get(name)?.equals(stored?.[name] ?? Buffer.alloc(0));
  if (stored && [...keys.keys()].every(isSame)) return undefined;
  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeSynced(draft, textOfKeys(keys));
  const kept = stored && `${file}.${now.toISOString().replaceAll(':', '')}`;
  if (kept) await link(file, kept);
  await rename(draft, file);
  return kept;
}

const textOfKeys = (keys: Iterable<readonly [KeyName, Buffer]>): string =>
  `${JSON.stringify(Object.fromEntries(Array.from(keys, ([name, key]) => [name, key.toString('base64')])), null, 2)}\n`;
