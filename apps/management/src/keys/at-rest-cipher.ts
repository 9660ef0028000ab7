import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KEY_ID_BYTES, keyId } from './keys.js';

const VERSION = 2;
const NONCE_START = 1 + KEY_ID_BYTES;
const TAG_START = NONCE_START + 12;
const TEXT_START = TAG_START + 16;

/**
 * Encrypts secrets for the database with AES-256-GCM. Layout: version (1 byte), key id (4), nonce (12), tag (16),
 * ciphertext.
 */
export class AtRestCipher {
  /** @param previous decrypts secrets that it encrypted; no new secret is encrypted with it */
  constructor(
    private readonly key: Buffer,
    private readonly previous?: Buffer,
  ) {}

  /** @param owner names the row, such as `node:7`; a secret that is copied to another row cannot be decrypted there */
  seal(secret: string, owner: string): Buffer {
    const head = Buffer.concat([Buffer.of(VERSION), keyId(this.key), randomBytes(TAG_START - NONCE_START)]);
    const nonce = head.subarray(NONCE_START);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([head, cipher.getAuthTag(), text]);
  }

  /** @throws Error when the key, the owner or any byte differs from what was sealed */
  open(sealed: Buffer, owner: string): string {
    const key = [this.key, this.previous].find((one) => one && isSealedWith(one, sealed));
    if (!key || sealed.length < TEXT_START) throw new Error('not a sealed secret');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(NONCE_START, TAG_START))
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(TAG_START, TEXT_START));
    return decipher.update(sealed.subarray(TEXT_START), undefined, 'utf8') + decipher.final('utf8');
  }

  /** A sealed JSON value; undefined where it does not open, so that one row cannot break the reading of others. */
  openJson(sealed: Buffer, owner: string): unknown {
    try {
      return JSON.parse(this.open(sealed, owner));
    } catch {
      return undefined;
    }
  }

  /** Whether a secret was encrypted with the previous key, and should be encrypted again. */
  isOutdated(sealed: Buffer): boolean {
    return this.previous !== undefined && !isSealedWith(this.key, sealed) && isSealedWith(this.previous, sealed);
  }
}

const isSealedWith = (key: Buffer, sealed: Buffer): boolean =>
  sealed[0] === VERSION && keyId(key).equals(sealed.subarray(1, NONCE_START));
