import type { Inbound } from '@rampart/core-config';
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from './json-tree.js';

/** A PEM text, or the path of a file with it. */
export type Pem = { readonly text: string } | { readonly file: string };

/** A certificate of an inbound, which the engine does not check before it starts. */
export interface InboundCertificate {
  /** Names the inbound and the place in it, for messages. */
  readonly place: string;
  readonly certificate: Pem;
  /** The private key; absent for certificates of others, with which the engine only compares. */
  readonly key?: Pem;
}

/** An element of `tlsSettings.certificates`, which may be incomplete. */
export interface CertificateEntry {
  readonly place: string;
  readonly certificate: Pem | undefined;
  readonly key: Pem | undefined;
  /** Whether it is a certificate of others, with which the engine only compares and which needs no key. */
  readonly isForComparison: boolean;
}

export const CERTIFICATES_PATH = 'streamSettings.tlsSettings.certificates';

/** Reads the certificates of a TLS inbound, complete or not. Without TLS there are none. */
export function certificateEntries({ tag, tree, security }: Inbound): CertificateEntry[] {
  if (security !== 'tls') return [];
  const tls = objectAt(objectAt(tree, 'streamSettings', 'streamSettings'), 'tlsSettings', 'tlsSettings');
  return objectsAt(tls, 'certificates', 'certificates').map((entry, index) => ({
    place: `inbound "${tag}": ${CERTIFICATES_PATH}[${index}]`,
    certificate: pemAt(entry, 'certificateFile', 'certificate'),
    key: pemAt(entry, 'keyFile', 'key'),
    isForComparison: textAt(entry, 'usage').toLowerCase() === 'verify',
  }));
}

/** Returns the certificates of a TLS inbound that `checkCertificates` has accepted. */
export function certificatesOf(inbound: Inbound): InboundCertificate[] {
  return certificateEntries(inbound).flatMap(({ place, certificate, key, isForComparison }) => {
    if (certificate === undefined) return [];
    return [{ place, certificate, ...(key !== undefined && !isForComparison && { key }) }];
  });
}

/** Reads a PEM. Where both a file and a text are given, the engine takes the file. */
function pemAt(entry: JsonObject, fileKey: string, textKey: string): Pem | undefined {
  const file = textAt(entry, fileKey);
  if (file !== '') return { file };
  const text = entry[textKey];
  if (typeof text === 'string') return { text };
  const lines = textsAt(entry, textKey);
  return lines.length === 0 ? undefined : { text: lines.join('\n') };
}
