import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Returns what is wrong with a certificate and its key, both in PEM form; undefined where the engine can serve with them. */
export function keyPairProblem(certificate: string, key: string | undefined): string | undefined {
  const parsed = parse(() => new X509Certificate(certificate));
  if (parsed === undefined) return 'the certificate is not one in PEM form';
  if (key === undefined) return undefined;
  const privateKey: KeyObject | undefined =
    parse(() => createPrivateKey(key)) ?? parse(() => createPrivateKey(namedPkcs8(key)));
  if (privateKey === undefined) return 'the key is not an unencrypted private key in PEM form';
  return parsed.checkPrivateKey(privateKey) ? undefined : 'the private key is not the one of the certificate';
}

/** Labels a key as PKCS #8. The engine ignores the label, and itself writes PKCS #8 under another one (`xray tls cert`). */
function namedPkcs8(key: string): string {
  return key.replaceAll(/-----(BEGIN|END) [A-Z ]*PRIVATE KEY-----/g, '-----$1 PRIVATE KEY-----');
}

/** Returns the time at which a certificate expires. */
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
