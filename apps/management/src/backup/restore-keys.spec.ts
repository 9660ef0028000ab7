import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readManagementEnv } from '../env/management-env.js';
import { planKeys, writeKeys } from './restore-keys.js';

const text = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const [OLD, KEY, NEW] = [text(1), text(2), text(3)];
const NOW = new Date('2026-11-23T01:02:03Z');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rampart-restore-keys-'));
});
afterEach(() => rm(folder, { recursive: true }));

const env = (settings: Record<string, string> = {}) => readManagementEnv({ RAMPART_DATA_DIR: folder, ...settings });
const keys = (subscription: { current: string; previous?: string }) => ({
  jwt: { current: KEY },
  subscription,
  atRest: { current: KEY },
});

describe('the keys of a backup', () => {
  it('go to the key file, once', async () => {
    const plan = planKeys(keys({ current: KEY }), env());
    const line = `The keys (jwt, subscription, atRest) are in ${join(folder, 'keys.json')}`;
    expect(await writeKeys(plan, folder, NOW)).toEqual([line]);
    expect(await writeKeys(plan, folder, NOW)).toEqual([line]);
    expect(JSON.parse(await readFile(join(folder, 'keys.json'), 'utf8'))).toEqual({
      jwt: KEY,
      subscription: KEY,
      atRest: KEY,
    });
  });

  it('include one that was being replaced, which goes to a file that a setting can name', async () => {
    const plan = planKeys(keys({ current: KEY, previous: OLD }), env());
    const file = join(folder, 'restored-keys/RAMPART_SUBSCRIPTION_KEY_PREVIOUS');
    expect(await writeKeys(plan, folder, NOW)).toContain(
      `The subscription key was being replaced when the backup was made. To go on accepting the old one: RAMPART_SUBSCRIPTION_KEY_PREVIOUS_FILE=${file}`,
    );
    expect(
      env({ RAMPART_SUBSCRIPTION_KEY: KEY, RAMPART_SUBSCRIPTION_KEY_PREVIOUS_FILE: file }).previousSubscriptionKey,
    ).toEqual(Buffer.alloc(32, 1));
  });

  it.each([
    ['the same key', { RAMPART_SUBSCRIPTION_KEY: KEY }],
    [
      'a newer key with that of the backup as its previous one',
      { RAMPART_SUBSCRIPTION_KEY: NEW, RAMPART_SUBSCRIPTION_KEY_PREVIOUS: KEY },
    ],
    ['the older key, while it was being replaced', { RAMPART_SUBSCRIPTION_KEY: OLD }],
  ])('fit settings with %s', (_what, settings) => {
    const plan = planKeys(keys({ current: KEY, previous: OLD }), env(settings));
    expect([...plan.forFile.keys()]).toEqual(['jwt', 'atRest']);
    expect(plan.given).toEqual(['subscription']);
  });

  it('do not fit settings with another key', () => {
    expect(() => planKeys(keys({ current: KEY }), env({ RAMPART_SUBSCRIPTION_KEY: NEW }))).toThrow(
      /^The backup has other keys than RAMPART_SUBSCRIPTION_KEY: /,
    );
  });
});
