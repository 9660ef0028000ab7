import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManagementEnv } from '../env/management-env.js';
import { KEY_NAMES, KEY_SETTINGS, type KeyName, keyFileIn, parseKey, replaceKeyFile } from '../keys/keys.js';
import { compareKeys, storedKeyId } from '../known-keys/key-ids.js';
import { keySettings } from '../known-keys/load-shared-keys.js';
import { BackupError } from './backup-error.js';
import type { BackedUpKeys } from './backup-header.js';

/** What becomes of the keys of a backup. */
export interface KeyRestoration {
  /** The keys for the key file: those that no setting gives. */
  readonly forFile: ReadonlyMap<KeyName, Buffer>;
  /** Keys that were being replaced when the backup was made, and that no setting gives. */
  readonly previous: ReadonlyMap<KeyName, Buffer>;
  /** The keys that settings give. */
  readonly given: readonly KeyName[];
}

/**
 * Compares the keys of a backup with those that the settings give.
 *
 * @throws BackupError naming every setting with another key: the service would not start with it
 */
export function planKeys(backedUp: BackedUpKeys, env: ManagementEnv): KeyRestoration {
  const { given, previous } = keySettings(env);
  const forFile = new Map<KeyName, Buffer>();
  const replaced = new Map<KeyName, Buffer>();
  const refused: string[] = [];
  for (const name of KEY_NAMES) {
    const current = keyOf(backedUp[name].current);
    const old = backedUp[name].previous === undefined ? undefined : keyOf(backedUp[name].previous);
    const own = given[name];
    if (!own) forFile.set(name, current);
    else if (!isAccepted(name, { current, old }, own, previous[name])) refused.push(KEY_SETTINGS[name]);
    if (old && !previous[name] && !own?.equals(old)) replaced.set(name, old);
  }
  if (refused.length > 0)
    throw new BackupError(
      `The backup has other keys than ${refused.join(', ')}: set there what the backed up installation had, ` +
        `or remove the settings, and the keys of the backup are written to ${keyFileIn(env.dataDir)}`,
    );
  return { forFile, previous: replaced, given: KEY_NAMES.filter((name) => given[name]) };
}

/**
 * Writes the keys into the data folder. An existing key file with other keys is kept beside it.
 *
 * @returns lines for the operator
 */
export async function writeKeys(
  { forFile, previous, given }: KeyRestoration,
  dataDir: string,
  now: Date,
): Promise<string[]> {
  const lines = given.map((name) => `${KEY_SETTINGS[name]} is set and fits the backup, so it is used`);
  if (forFile.size > 0) {
    const kept = await replaceKeyFile(dataDir, forFile, now);
    lines.push(`The keys (${[...forFile.keys()].join(', ')}) are in ${keyFileIn(dataDir)}`);
    if (kept !== undefined) lines.push(`The keys that were there before are in ${kept}`);
  }
  for (const [name, key] of previous) {
    const setting = `${KEY_SETTINGS[name]}_PREVIOUS`;
    const file = join(dataDir, 'restored-keys', setting);
    await mkdir(join(dataDir, 'restored-keys'), { recursive: true, mode: 0o700 });
    await writeFile(file, `${key.toString('base64')}\n`, { mode: 0o600 });
    lines.push(
      `The ${name} key was being replaced when the backup was made. To go on accepting the old one: ${setting}_FILE=${file}`,
    );
  }
  return lines;
}

function isAccepted(
  name: KeyName,
  backup: { current: Buffer; old: Buffer | undefined },
  own: Buffer,
  ownPrevious: Buffer | undefined,
): boolean {
  const known = { newest: storedKeyId(name, backup.current), older: backup.old ? [storedKeyId(name, backup.old)] : [] };
  const ids = { current: storedKeyId(name, own), previous: ownPrevious && storedKeyId(name, ownPrevious) };
  return compareKeys(known, ids).known !== undefined;
}

function keyOf(text: string): Buffer {
  const key = parseKey(text);
  if (!key) throw new BackupError('The backup has an invalid key');
  return key;
}
