import { createHash, createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { BackupError } from './backup-error.js';

/** An Ed25519 private key in PKCS #8, without its last 32 bytes; and a public key in SPKI. */
const PRIVATE_KEY_START = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_START = Buffer.from('302a300506032b6570032100', 'hex');
const PUBLIC_KEY_BYTES = 32;
const FINGERPRINT_BYTES = 16;
/** Keeps a signature of a backup from being one of anything else. */
const CONTEXT = 'rampart backup v2\n';

/** The key with which an installation signs its backups, and nothing else. It follows from its at-rest key. */
export function signingKey(atRest: Buffer): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', atRest, '', 'rampart backup signature v1', PUBLIC_KEY_BYTES));
  return createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_START, seed]), format: 'der', type: 'pkcs8' });
}

/** The public key of a signing key, in base64: what a backup says of its origin. */
export const signerOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_KEY_START.length).toString('base64');

/** Identifies a signer for people: groups of four digits, such as `3f2a-91bc-…`. */
export const fingerprintOf = (signer: string): string =>
  createHash('sha256')
    .update(Buffer.from(signer, 'base64'))
    .digest('hex')
    .slice(0, 2 * FINGERPRINT_BYTES)
    .replaceAll(/(.{4})(?=.)/g, '$1-');

/** Whether a text that somebody has typed is this fingerprint. */
export const isFingerprint = (text: string, fingerprint: string): boolean =>
  text.toLowerCase().replaceAll(/[^\da-f]/g, '') === fingerprint.replaceAll('-', '');

/** @param digest of everything before the signature */
export const signDigest = (digest: Buffer, key: KeyObject): string =>
  sign(null, Buffer.concat([Buffer.from(CONTEXT), digest]), key).toString('base64');

/** @throws BackupError unless the signer has signed this digest */
export function checkSignature(digest: Buffer, signature: string, signer: string): void {
  const raw = Buffer.from(signer, 'base64');
  const isRight =
    raw.length === PUBLIC_KEY_BYTES &&
    verify(
      null,
      Buffer.concat([Buffer.from(CONTEXT), digest]),
      createPublicKey({ key: Buffer.concat([PUBLIC_KEY_START, raw]), format: 'der', type: 'spki' }),
      Buffer.from(signature, 'base64'),
    );
  if (!isRight)
    throw new BackupError(
      'The signature of the backup is wrong: it was changed after it was made, or does not come from the installation that it names',
    );
}
