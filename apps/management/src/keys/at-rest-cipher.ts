import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM for secrets that lie in the database: version (1 byte), nonce (12), tag (16), ciphertext. */
export class AtRestCipher {
  constructor(private readonly key: Buffer) {}

  /** @param owner names the row (`node:7`): a sealed secret that is copied to another row does not open there. */
  seal(secret: string, owner: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(owner));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text]);
  }

  /** @throws Error when the key, the owner or a byte of it is not the one that was sealed. */
  open(sealed: Buffer, owner: string): string {
    const tagStart = 1 + NONCE_BYTES;
    const textStart = tagStart + TAG_BYTES;
    if (sealed[0] !== VERSION || sealed.length < textStart) throw new Error('not a sealed secret');
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(1, tagStart))
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(tagStart, textStart));
    return decipher.update(sealed.subarray(textStart), undefined, 'utf8') + decipher.final('utf8');
  }
}
