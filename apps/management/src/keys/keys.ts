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

/** The three secrets of this installation: for admin tokens, subscription links and secrets in the database. */
export class Keys implements Readonly<Record<KeyName, Buffer>> {
  readonly jwt: Buffer;
  readonly subscription: Buffer;
  readonly atRest: Buffer;

  /** @param previous the keys before these, while what they made is still accepted. */
  constructor(
    keys: Readonly<Record<KeyName, Buffer>>,
    readonly previous: SomeKeys = {},
  ) {
    this.jwt = keys.jwt;
    this.subscription = keys.subscription;
    this.atRest = keys.atRest;
  }
}

export class KeysError extends OperatorError {
  override readonly name = 'KeysError';
}

/** A key as text: 32 bytes in base64 or base64url; nothing when it is not that. */
export function parseKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  const canonical = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return key.length === KEY_BYTES && key.toString('base64').replace(/=+$/, '') === canonical ? key : undefined;
}

/** Which of several keys was used: tells nothing of the key itself. */
export const keyId = (key: Buffer): Buffer => createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);

/** The settings that hold a key and the one before, and the member of `keys.json` that may hold it in their place. */
export const KEY_SETTINGS: Readonly<Record<KeyName, string>> = {
  jwt: 'RAMPART_JWT_KEY',
  subscription: 'RAMPART_SUBSCRIPTION_KEY',
  atRest: 'RAMPART_AT_REST_KEY',
};

export const keyFileIn = (dataDir: string): string => join(dataDir, 'keys.json');

/**
 * The keys that the environment gives; each other one comes from `keys.json`, where it is made up once, and told of.
 *
 * @param mayMake is asked before keys are made up; it throws where that would replace lost ones
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
    tell(`New keys in ${file}: ${missing.join(', ')}`);
    stored = await readKeys(file);
  }
  const key = (name: KeyName): Buffer => {
    const value = given[name] ?? stored?.[name];
    if (!value) throw new KeysError(`${file} was changed by another process: start again`);
    return value;
  };
  return new Keys({ jwt: key('jwt'), subscription: key('subscription'), atRest: key('atRest') }, previous);
}

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

/** A damaged file is an error, never a reason for new keys: those would end every session and every link. */
function parseObject(text: string, file: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below: the parser's own message would quote the secrets.
  }
  throw new KeysError(`${file} is not a JSON object: restore it from a backup, or remove it to get new keys`);
}

async function addMissingKeys(file: string, stored: SomeKeys | undefined, given: SomeKeys): Promise<void> {
  const names = KEY_NAMES.filter((name) => stored?.[name] || !given[name]);
  const keys = names.map((name) => [name, (stored?.[name] ?? randomBytes(KEY_BYTES)).toString('base64')]);
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeSynced(draft, `${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`);
  if (stored) return rename(draft, file);
  // Of two processes that start together the first one's keys count: a link never replaces a file.
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
