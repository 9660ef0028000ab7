import { createHmac } from 'node:crypto';
import type { KeyName } from '../keys/keys.js';

/** Of the keys of one kind, by their ids, those with which the database is used. */
export interface KnownKeys {
  /** The one that was taken into use last; undefined before the first start. */
  newest: string | undefined;
  /** Those before it that replicas may still have: a rotation is under way. */
  older: readonly string[];
}

/** What a replica has. */
export interface OwnKeys {
  current: string;
  previous: string | undefined;
}

export interface Comparison {
  /** What is known from now on; undefined: this replica must not start. */
  known: KnownKeys | undefined;
  /** It starts, but does not know the newest key: what others make with that, it does not accept. */
  isBehind: boolean;
}

const ID_BYTES = 16;

/** Tells keys apart in the database and in messages; the key cannot be found from it, nor that two kinds share one. */
export const storedKeyId = (name: KeyName, key: Buffer): string =>
  createHmac('sha256', key)
    .update(`rampart key id v1 ${name}`)
    .digest('hex')
    .slice(0, 2 * ID_BYTES);

/**
 * Whether a replica with these keys may use the database, and what is known afterwards:
 *
 * - Nothing known: its keys are the first.
 * - Its current key is the newest: it may. What it does not name as previous has ended: the rotation is over.
 * - Its current key is one before: it may, as a replica that the rotation has not reached yet.
 * - Its previous key is the newest: it may, and its current key is the newest from now on. So a rotation begins.
 * - Anything else: it may not. It has another key, or one whose rotation is over.
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
