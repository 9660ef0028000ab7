import { createHash, X509Certificate } from 'node:crypto';

/** The SHA-256 of a certificate (PEM text or DER bytes) as nodes print it: `AB:CD:…`, 32 pairs in upper case. */
export function fingerprintOf(certificate: string | Uint8Array): string {
  const der = typeof certificate === 'string' ? new X509Certificate(certificate).raw : certificate;
  return pairs(createHash('sha256').update(der).digest('hex'));
}

/**
 * Parses a SHA-256 fingerprint as people paste it: in any case, with colons, spaces or neither, with or without `sha256:`.
 *
 * @returns the form of {@link fingerprintOf}; undefined for a text that is not a fingerprint.
 */
export function parseFingerprint(text: string): string | undefined {
  const hex = text.replace(/^\s*sha-?256[:=\s]/i, '').replace(/[\s:]/g, '');
  return /^[0-9a-f]{64}$/i.test(hex) ? pairs(hex) : undefined;
}

const pairs = (hex: string): string => hex.toUpperCase().replace(/..(?!$)/g, '$&:');
