/**
 * Who may have an identity: keys by a 32-bit hash. Whoever looks one up proves that the finds really have it; a text for
 * each identity would be the largest part of a directory.
 */
export class IdentityIndex {
  /** One key alone stands for itself. */
  private readonly keys = new Map<number, string | readonly string[]>();

  get(hash: number): readonly string[] {
    const keys = this.keys.get(hash);
    if (keys === undefined) return NOBODY;
    return typeof keys === 'string' ? [keys] : keys;
  }

  add(hash: number, key: string): void {
    const others = this.get(hash);
    this.keys.set(hash, others.length === 0 ? key : [...others, key]);
  }

  remove(hash: number, key: string): void {
    const others = this.get(hash).filter((other) => other !== key);
    const [first] = others;
    if (first === undefined) this.keys.delete(hash);
    else this.keys.set(hash, others.length === 1 ? first : others);
  }
}

const NOBODY: readonly string[] = [];

/** A signed integer: a map keeps those without a box. */
export function hashOf(identity: string): number {
  let hash = identity.length;
  for (let index = 0; index < identity.length; index += 1) {
    hash = Math.imul(hash ^ identity.charCodeAt(index), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash;
}
