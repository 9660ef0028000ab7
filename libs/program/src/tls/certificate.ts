import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { messageOf, OperatorError } from '../process/operator-error.js';
import { TLS_OPTIONS } from './tls-options.js';

/** The certificate and private key of a TLS port in PEM form, and the authority of its client certificates. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The authority that must have issued client certificates, in PEM form; undefined = clients need no certificate. */
  readonly clientCa?: string;
  /** The URI that client certificates must have among their names; undefined = any certificate of `clientCa` suffices. */
  readonly clientIdentity?: string;
  /** SHA-256 of the certificate, as pairs of hexadecimal digits with colons between. */
  readonly fingerprint256: string;
}

/** A certificate or key that cannot be used. The message names the setting. */
export class CertificateError extends OperatorError {
  override readonly name = 'CertificateError';
}

/** The path of a file, and the environment variable that holds it. */
export interface NamedFile {
  readonly setting: string;
  readonly file: string;
}

/**
 * Reads a certificate and its private key.
 *
 * @param origin names the pair in errors. Default: both settings.
 * @throws CertificateError for files that cannot be read, are not in PEM form, do not belong together or are too weak.
 */
export async function readCertificate(
  certFile: NamedFile,
  keyFile: NamedFile,
  origin = `${certFile.setting} and ${keyFile.setting}`,
): Promise<Certificate> {
  // One after the other, so that of two missing files the error always names the certificate.
  const cert = await readPem(certFile);
  const key = await readPem(keyFile);
  if (!isPair(cert, key, origin)) throw new CertificateError(`${origin}: this private key is not the certificate's`);
  return { cert, key, fingerprint256: new X509Certificate(cert).fingerprint256 };
}

/**
 * Reads a file in PEM form.
 *
 * @throws CertificateError for a file that cannot be read.
 */
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

/** Always true; throws for an invalid chain, and for a key that TLS finds too weak. */
function isUsable(cert: string, key: string): boolean {
  createSecureContext({ ...TLS_OPTIONS, cert, key });
  return true;
}
