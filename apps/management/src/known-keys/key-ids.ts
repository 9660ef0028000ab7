import { createHmac } from 'node:crypto';
import type { KeyName } from '../keys/keys.js';

/** The ids of the keys of one kind with which the database is used. */
export interface KnownKeys {
  /** The id of the key that came into use last; undefined before the first start. */
  newest: string | undefined;
  /** The ids of earlier keys that replicas may still have while a rotation is under way. */
  older: readonly string[];
}

/** The ids of the keys of a replica. */
export interface OwnKeys {
  current: string;
  previous: string | undefined;
}

export interface Comparison {
  /** The ids to store; undefined when this replica must not start. */
  known: KnownKeys | undefined;
  /** The replica may start, but does not know the newest key, so it rejects what others make with it. */
  isBehind: boolean;
}

const ID_BYTES = 16;

/** Identifies a key in the database and in messages. It reveals neither the key nor that two kinds share one. */
export const storedKeyId = (name: KeyName, key: Buffer): string =>
  createHmac('sha256', key)
    .update(`rampart key id v1 ${name}`)
    .digest('hex')
    .slice(0, 2 * ID_BYTES);

/**
 * Decides whether a replica with these keys may use the database, and which ids are known afterwards:
 *
 * - No ids are known: its keys become the first ones.
 * - Its current key is the newest: it may. If it names no previous key, the rotation is over.
 * - Its current key is an earlier one: it may, because the rotation has not reached it yet.
 * - Its previous key is the newest: it may, and its current key becomes the newest. This starts a rotation.
 * - Anything else: it may not. Its key is unknown, or the rotation of its key is over.
 */
export function compareKeys({ newest, older }: KnownKeys, { current, previous }: OwnKeys): Comparison {
  if (newest === undefined) return { known: { newest: current, older: [] }, isBehind: false };
  if (current === newest) {
    return { known: { newest, older: older.filter((id) => id === previous) }, isBehind: false };
  }
  if (older.includes(current)) return { known: { newest, older }, isBehind: previous !== newest };
  if (previous === newest) return { known: { newest: current, older: [newest] }, isBehind: false };
  return { known: undefined, isBehind: false };
}
