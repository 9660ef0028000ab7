import { randomBytes, webcrypto } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { JsonGeneralName } from '@peculiar/x509';

const DAY_MS = 86_400_000;
const YEARS = 10;
/** The algorithm of the keys that the node makes. */
export const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Creates certificate.pem and key.pem in a new folder, atomically. Returns false and changes nothing when the folder
 * exists.
 */
export async function createSelfSigned(folder: string, names: readonly string[]): Promise<boolean> {
  if (existsSync(folder)) return false;
  const { cert, key } = await issue(names);
  await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(`${folder}-`);
  try {
    await writeFile(join(draft, 'certificate.pem'), cert, { mode: 0o600 });
    await writeFile(join(draft, 'key.pem'), key, { mode: 0o600 });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return true;
}

async function issue(names: readonly string[]): Promise<{ cert: string; key: string }> {
  // Loaded only here, since it takes 3 MB.
  const {
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    PemConverter,
    SubjectAlternativeNameExtension,
    X509CertificateGenerator,
  } = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // A serial number is positive: its first byte stays below 0x80.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: 'CN=Rampart node',
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + YEARS * 365 * DAY_MS),
    signingAlgorithm: KEY_ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map(generalName)),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: `${certificate.toString('pem')}\n`, key: `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n` };
}

const generalName = (name: string): JsonGeneralName => ({ type: isIP(name) ? 'ip' : 'dns', value: name });
