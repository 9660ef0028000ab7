import { createHash, X509Certificate } from 'node:crypto';
import type { JsonCursor } from '../read/json-cursor.js';

/** Returns the text of a certificate or key file; throws for a file that it does not read. */
export type ReadCertificate = (path: string) => string;

/** The parts of a server's certificate that clients can check. */
export interface CertificateFacts {
  readonly dnsNames: readonly string[];
  /** SHA-256 of the certificate in DER form, in lower-case hex. */
  readonly sha256: string;
  /** SHA-256 of its public key (SPKI in DER form), in base64. */
  readonly publicKeySha256: string;
}

/** Reads an element of `tlsSettings.certificates`; undefined for a client CA: no client needs it. @throws CoreConfigError */
export function readCertificateEntry(
  entry: JsonCursor,
  tag: string,
  readCertificate: ReadCertificate | undefined,
): CertificateFacts | undefined {
  const isServerCertificate = entry.get('usage').text('encipherment').toLowerCase() !== 'verify';
  const file = entry.get('certificateFile');
  const inline = entry.get('certificate');
  if (!file.exists && !inline.exists)
    entry.fail(`${tag} inbound has neither certificateFile nor certificate in tlsSettings`);
  if (file.exists && isServerCertificate && !entry.get('keyFile').exists) {
    entry.fail(`${tag} inbound doesn't have keyFile in tlsSettings`);
  }
  const pem = file.exists ? readPemFile(file, tag, readCertificate) : pemText(inline, tag);
  return isServerCertificate ? certificateFacts(pem, file.exists ? file : inline, tag) : undefined;
}

/** Reads a PEM text that is part of the configuration: a string, or a list of its lines. */
function pemText(cursor: JsonCursor, tag: string): string {
  const { value } = cursor;
  if (typeof value === 'string') return value;
  const isLines = Array.isArray(value) && value.every((line) => typeof line === 'string');
  return isLines ? value.join('\n') : cursor.fail(`certificate of ${tag} must be a text or a list of its lines`);
}

/** Reads a certificate or key file. Every failure gives the same error, so that nobody can find out which files exist. */
export function readPemFile(cursor: JsonCursor, tag: string, readCertificate: ReadCertificate | undefined): string {
  const path = cursor.value;
  try {
    if (readCertificate !== undefined && typeof path === 'string') return readCertificate(path);
  } catch {}
  return cursor.fail(`certificate files of ${tag} must lie in the directory of RAMPART_CERTS_DIR`);
}

function certificateFacts(pem: string, cursor: JsonCursor, tag: string): CertificateFacts {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    return cursor.fail(`certificate of ${tag} is not a certificate in PEM form`);
  }
  return {
    dnsNames: dnsNames(certificate.subjectAltName ?? ''),
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    publicKeySha256: createHash('sha256')
      .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
  };
}

const ALTERNATIVE_NAME = /([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g;

/** Returns the DNS names of a text such as `DNS:a.example, IP Address:10.0.0.1, DNS:b.example`. */
function dnsNames(subjectAltName: string): string[] {
  return [...subjectAltName.matchAll(ALTERNATIVE_NAME)]
    .filter(([, kind, name]) => kind === 'DNS' && !name?.startsWith('"'))
    .map(([, , name]) => name ?? '');
}
