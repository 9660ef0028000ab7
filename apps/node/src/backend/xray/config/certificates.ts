import { type JsonObject, objectAt, objectsAt, refuse, textAt, textsAt } from './json-tree.js';
import { keyPairProblem } from './key-pair.js';

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

/** The certificates of a TLS inbound. CONFIG_REFUSED where there is none to serve with, or an inline one does not load. */
export function certificatesOf(inbound: JsonObject): InboundCertificate[] {
  const stream = objectAt(inbound, 'streamSettings', 'streamSettings');
  const name = `inbound "${textAt(inbound, 'tag')}"`;
  const secured = textAt(stream, 'security').toLowerCase() === 'tls';
  if (!secured && isHysteria(inbound, stream)) refuse(`${name}: hysteria needs streamSettings.security "tls"`);
  if (!secured) return [];
  const list = objectsAt(objectAt(stream, 'tlsSettings', 'tlsSettings'), 'certificates', 'certificates');
  const path = 'streamSettings.tlsSettings.certificates';
  const certificates = list.map((entry, index) => readEntry(entry, `${name}: ${path}[${index}]`));
  if (certificates.every(({ key }) => key === undefined)) {
    refuse(`${name}: security "tls" needs a certificate and its key in ${path}`);
  }
  for (const { place, certificate, key } of certificates) {
    if ('file' in certificate || (key !== undefined && 'file' in key)) continue;
    const problem = keyPairProblem(certificate.text, key?.text);
    if (problem !== undefined) refuse(`${place}: ${problem}`);
  }
  return certificates;
}

function isHysteria(inbound: JsonObject, stream: JsonObject): boolean {
  return [textAt(inbound, 'protocol'), textAt(stream, 'network')].some((name) => name.toLowerCase() === 'hysteria');
}

function readEntry(entry: JsonObject, place: string): InboundCertificate {
  const certificate = pemAt(entry, 'certificateFile', 'certificate');
  if (certificate === undefined) return refuse(`${place} has neither "certificate" nor "certificateFile"`);
  if (textAt(entry, 'usage').toLowerCase() === 'verify') return { place, certificate };
  const key = pemAt(entry, 'keyFile', 'key');
  return key === undefined ? refuse(`${place} has neither "key" nor "keyFile"`) : { place, certificate, key };
}

/** The engine takes the file where both are there. */
function pemAt(entry: JsonObject, fileKey: string, textKey: string): Pem | undefined {
  const file = textAt(entry, fileKey);
  if (file !== '') return { file };
  const lines = textsAt(entry, textKey);
  return lines.length === 0 ? undefined : { text: lines.join('\n') };
}
