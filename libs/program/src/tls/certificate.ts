import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { messageOf, OperatorError } from '../process/operator-error.js';
import { TLS_OPTIONS } from './tls-options.js';

/** What a TLS port shows to its callers, in PEM form, and whose certificates it asks of them. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Who must have issued the certificates of callers; undefined = they need none. */
  readonly clientCa?: string;
  /** SHA-256 of the certificate. */
  readonly fingerprint256: string;
}

/** What an operator can mend; the text names the setting. */
export class CertificateError extends OperatorError {
  override readonly name = 'CertificateError';
}

/** A file, and the setting that names it. */
export interface NamedFile {
  readonly setting: string;
  readonly file: string;
}

/**
 * Reads a certificate and its private key.
 *
 * @param origin what the two are called together. Default: both settings.
 * @throws CertificateError for files that cannot be read, are no PEM or no pair.
 */
export async function readCertificate(
  certFile: NamedFile,
  keyFile: NamedFile,
  origin = `${certFile.setting} and ${keyFile.setting}`,
): Promise<Certificate> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)]);
  if (!isPair(cert, key, origin)) throw new CertificateError(`${origin}: this private key is not the certificate's`);
  return { cert, key, fingerprint256: new X509Certificate(cert).fingerprint256 };
}

/** @throws CertificateError for a file that cannot be read. */
export const readPem = ({ setting, file }: NamedFile): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CertificateError(`${setting}: ${messageOf(cause)}`, { cause });
  });

function isPair(cert: string, key: string, origin: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) && isUsable(cert, key);
  } catch (cause) {
    throw new CertificateError(`${origin}: must be a certificate and its private key in PEM form`, { cause });
  }
}

/** Throws for the rest of a chain that is none, and for a key that TLS finds too weak. */
function isUsable(cert: string, key: string): boolean {
  createSecureContext({ ...TLS_OPTIONS, cert, key });
  return true;
}
