import { createPrivateKey, createPublicKey } from 'node:crypto';

const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** Computes the public key of an X25519 private key, both in base64url without padding. Undefined for any other text. */
export function x25519PublicKey(privateKey: string): string | undefined {
  const raw = Buffer.from(privateKey, 'base64url');
  if (raw.length !== 32 || raw.toString('base64url') !== privateKey) return undefined;
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, raw]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'jwk' }).x;
}
