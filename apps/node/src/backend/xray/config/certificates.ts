import type { Inbound } from '@rampart/core-config';
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from './json-tree.js';

/** A PEM text, or the file that has it. */
export type Pem = { readonly text: string } | { readonly file: string };

/** A certificate of an inbound that the engine would start without. */
export interface InboundCertificate {
  /** The inbound and the place in it, for messages. */
  readonly place: string;
  readonly certificate: Pem;
  /** Not for certificates of others, which are there to be compared with. */
  readonly key?: Pem;
}

/** An element of `tlsSettings.certificates` as it stands there. */
export interface CertificateEntry {
  readonly place: string;
  readonly certificate: Pem | undefined;
  readonly key: Pem | undefined;
  /** Whether it is a certificate of others, which has no key here. */
  readonly isForComparison: boolean;
}

export const CERTIFICATES_PATH = 'streamSettings.tlsSettings.certificates';

/** The certificates of a TLS inbound, complete or not; none without TLS. */
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

/** The certificates of a TLS inbound that was checked. */
export function certificatesOf(inbound: Inbound): InboundCertificate[] {
  return certificateEntries(inbound).flatMap(({ place, certificate, key, isForComparison }) => {
    if (certificate === undefined) return [];
    return [{ place, certificate, ...(key !== undefined && !isForComparison && { key }) }];
  });
}

/** The engine takes the file where both are there. */
function pemAt(entry: JsonObject, fileKey: string, textKey: string): Pem | undefined {
  const file = textAt(entry, fileKey);
  if (file !== '') return { file };
  const text = entry[textKey];
  if (typeof text === 'string') return { text };
  const lines = textsAt(entry, textKey);
  return lines.length === 0 ? undefined : { text: lines.join('\n') };
}
