import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysError, keyId, loadKeys, parseKey } from './keys.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rampart-keys-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe(loadKeys.name, () => {
  it('creates keys once, readable by their owner only', async () => {
    const keys = await loadKeys({}, join(folder, 'data'));
    const file = join(folder, 'data', 'keys.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(new Set([keys.jwt, keys.subscription, keys.atRest].map((key) => key.toString('hex'))).size).toBe(3);
    expect(keys.jwt).toHaveLength(32);
    expect(await loadKeys({}, join(folder, 'data'))).toEqual(keys);
  });

  it('returns the same keys to two processes that start together', async () => {
    const [one, other] = await Promise.all([loadKeys({}, folder), loadKeys({}, folder)]);
    expect(one).toEqual(other);
    expect(await readdir(folder)).toEqual(['keys.json']);
  });

  it('adds missing keys to the file', async () => {
    const first = await loadKeys({ jwt: Buffer.alloc(32, 9) }, folder);
    const second = await loadKeys({}, folder);
    expect([second.subscription, second.atRest]).toEqual([first.subscription, first.atRest]);
    expect(await loadKeys({}, folder)).toEqual(second);
  });

  it('reports the keys that it creates', async () => {
    const lines: string[] = [];
    const load = (jwt?: Buffer) => loadKeys({ jwt }, folder, {}, (line) => lines.push(line));
    const file = join(folder, 'keys.json');
    for (const jwt of [Buffer.alloc(32, 9), undefined, undefined]) await load(jwt);
    expect(lines).toEqual([`Created keys in ${file}: subscription, atRest`, `Created keys in ${file}: jwt`]);
  });

  it('prefers keys of the settings and stores none of them', async () => {
    const jwt = Buffer.alloc(32, 9);
    const keys = await loadKeys({ jwt }, folder);
    expect(keys.jwt).toEqual(jwt);
    expect(Object.keys(JSON.parse(await readFile(join(folder, 'keys.json'), 'utf8'))).sort()).toEqual([
      'atRest',
      'subscription',
    ]);
  });

  it('keeps previous keys separate, and stores none of them', async () => {
    const previous = { jwt: Buffer.alloc(32, 8), atRest: undefined };
    const keys = await loadKeys({}, folder, previous);
    expect(keys.previous).toEqual(previous);
    expect(keys.jwt).not.toEqual(previous.jwt);
    expect(await readFile(join(folder, 'keys.json'), 'utf8')).not.toContain(previous.jwt.toString('base64'));
  });

  it('writes no file when the settings contain all keys', async () => {
    const key = Buffer.alloc(32, 9);
    await loadKeys({ jwt: key, subscription: key, atRest: key }, folder);
    await expect(stat(join(folder, 'keys.json'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['', 'is not a JSON object: restore it from a backup, or remove it to get new keys'],
    ['{"jwt":"sec', 'is not a JSON object: restore it from a backup, or remove it to get new keys'],
    ['{"jwt":"c2hvcnQ="}', ': "jwt" must be one of jwt, subscription, atRest with 32 bytes in base64'],
    ['{"other":"x"}', ': "other" must be one of jwt, subscription, atRest with 32 bytes in base64'],
  ])('refuses a damaged file %j, names it and leaves it alone', async (text, problem) => {
    const file = join(folder, 'keys.json');
    await writeFile(file, text);
    const error = await loadKeys({}, folder).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KeysError);
    expect(
      String(error)
        .replace(/^KeysError: /, '')
        .replace(' is not', 'is not'),
    ).toBe(`${file}${problem}`);
    expect(await readFile(file, 'utf8')).toBe(text);
  });
});

describe(parseKey.name, () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, at) => 255 - at));

  it('accepts base64 and base64url, with and without padding', () => {
    const text = key.toString('base64');
    for (const form of [text, text.replace('=', ''), key.toString('base64url')]) expect(parseKey(form)).toEqual(key);
  });

  it('security row 5: a shorter key or a missing key is refused', () => {
    for (const form of ['', 'password', `${key.toString('base64')}!`, Buffer.alloc(31).toString('base64')]) {
      expect(parseKey(form)).toBeUndefined();
    }
  });
});

describe(keyId.name, () => {
  it('distinguishes keys and reveals nothing about them', () => {
    const key = Buffer.alloc(32, 1);
    expect(keyId(key).toString('hex')).toBe('72cd6e84');
    expect(keyId(Buffer.alloc(32, 2))).not.toEqual(keyId(key));
  });
});
