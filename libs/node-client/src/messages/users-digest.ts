import { hash } from 'node:crypto';
import type { User } from '../gen/service.js';

/** The length of the digest of a user, and of that of a set. */
export const DIGEST_BYTES = 16;

/**
 * The digest of a user as a node serves it, 16 bytes: the first half of the SHA-256 of a JSON array of the e-mail, the
 * inbound tags (sorted, without duplicates) and all credentials. The revision is not part of it, and a missing credential
 * equals an empty one.
 */
export function userDigest({ email, proxies, inbounds }: Omit<User, 'revision'>): Uint8Array {
  const { vmess, vless, trojan, shadowsocks, wireguard, hysteria } = proxies ?? {};
  const text = JSON.stringify([
    email,
    isSortedSet(inbounds) ? inbounds : [...new Set(inbounds)].sort(),
    vmess?.id ?? '',
    vless?.id ?? '',
    vless?.flow ?? '',
    trojan?.password ?? '',
    shadowsocks?.password ?? '',
    shadowsocks?.method ?? '',
    wireguard?.publicKey ?? '',
    wireguard?.peerIps ?? [],
    hysteria?.auth ?? '',
  ]);
  // The hash is requested as hex: for bytes, Node.js creates a hash object first, which takes twice as long.
  return Buffer.from(hash('sha256', text).slice(0, 2 * DIGEST_BYTES), 'hex');
}

function isSortedSet(tags: readonly string[]): boolean {
  return tags.every((tag, index) => index === 0 || (tags[index - 1] ?? '') < tag);
}

/**
 * The digest of a set of users: the sum of their digests modulo 2^128. It does not depend on the order, and a change of one
 * user updates it without the other users. Equal sets have equal digests; sets that differ have different ones.
 */
export class UsersDigest {
  private readonly words = new Uint32Array(DIGEST_BYTES / 4);

  /** Adds the digest of a user. */
  addDigest(digest: Uint8Array): void {
    this.addWords(digest, 1);
  }

  /** Removes the digest of a user, which must have been added before. */
  removeDigest(digest: Uint8Array): void {
    this.addWords(digest, -1);
  }

  /** The digest in 16 bytes, little-endian; all zero for the empty set. */
  get value(): Uint8Array {
    const bytes = new DataView(new ArrayBuffer(DIGEST_BYTES));
    for (const [index, word] of this.words.entries()) bytes.setUint32(4 * index, word, true);
    return new Uint8Array(bytes.buffer);
  }

  /** An independent copy. */
  copy(): UsersDigest {
    const copy = new UsersDigest();
    copy.words.set(this.words);
    return copy;
  }

  private addWords(digest: Uint8Array, sign: 1 | -1): void {
    const bytes = new DataView(digest.buffer, digest.byteOffset, DIGEST_BYTES);
    let carry = 0;
    for (let index = 0; index < this.words.length; index += 1) {
      const sum = (this.words[index] ?? 0) + sign * bytes.getUint32(4 * index, true) + carry;
      this.words[index] = sum;
      carry = Math.floor(sum / 2 ** 32);
    }
  }
}
