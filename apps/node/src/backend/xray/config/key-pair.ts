import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** What is wrong with a certificate and its key, both in PEM form; nothing when the engine can serve with them. */
export function keyPairProblem(certificate: string, key: string | undefined): string | undefined {
  const parsed = parse(() => new X509Certificate(certificate));
  if (parsed === undefined) return 'the certificate is not one in PEM form';
  if (key === undefined) return undefined;
  const privateKey: KeyObject | undefined =
    parse(() => createPrivateKey(key)) ?? parse(() => createPrivateKey(namedPkcs8(key)));
  if (privateKey === undefined) return 'the key is not an unencrypted private key in PEM form';
  return parsed.checkPrivateKey(privateKey) ? undefined : 'the private key is not the one of the certificate';
}

/** The engine takes a key under any name, and writes PKCS #8 under another one itself (`xray tls cert`). */
function namedPkcs8(key: string): string {
  return key.replaceAll(/-----(BEGIN|END) [A-Z ]*PRIVATE KEY-----/g, '-----$1 PRIVATE KEY-----');
}

/** The time from which on clients do not take it. */
export function expiryOf(certificate: string): Date {
  return new Date(new X509Certificate(certificate).validTo);
}

function parse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
