/**
 * Finds the users that may have an identity, by a 32-bit hash; callers must compare the identities of the users that it
 * finds. Storing the identities themselves would be the largest part of a directory.
 */
export class IdentityIndex {
  /** A single key is stored without an array. */
  private readonly keys = new Map<number, string | readonly string[]>();

  keysOf(hash: number): readonly string[] {
    const keys = this.keys.get(hash);
    if (keys === undefined) return NO_KEYS;
    return typeof keys === 'string' ? [keys] : keys;
  }

  addKey(hash: number, key: string): void {
    const others = this.keysOf(hash);
    this.keys.set(hash, others.length === 0 ? key : [...others, key]);
  }

  removeKey(hash: number, key: string): void {
    const others = this.keysOf(hash).filter((other) => other !== key);
    const [first] = others;
    if (first === undefined) this.keys.delete(hash);
    else this.keys.set(hash, others.length === 1 ? first : others);
  }
}

const NO_KEYS: readonly string[] = [];

/** Hashes an identity to a 32-bit signed integer, which a Map stores without allocation. */
export function identityHash(identity: string): number {
  let hash = identity.length;
  for (let index = 0; index < identity.length; index += 1) {
    hash = Math.imul(hash ^ identity.charCodeAt(index), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash;
}
