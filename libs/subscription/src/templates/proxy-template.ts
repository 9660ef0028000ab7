import type { ProxyProtocol } from '../model/resolved-proxy.js';
import type { SelectedProxy } from '../model/selected-proxy.js';
import { resolveProxy } from '../resolve/resolve-proxy.js';
import { byteText } from '../writer/byte-text.js';
import type { DocumentEntry, FormatWriter, WrittenProxy } from '../writer/format-writer.js';

/** A proxy as a format writes it, with placeholders for everything that differs between users. */
export interface ProxyTemplate extends Omit<WrittenProxy, 'text'> {
  readonly parts: readonly TemplatePart[];
  /** Escapes the name of the proxy. */
  readonly escapeName: CachedEscape;
}

/** A byte text, and the placeholder behind it; the last part has no placeholder. */
interface TemplatePart {
  readonly text: string;
  readonly placeholder: Placeholder | undefined;
}

const PLACEHOLDERS = ['name', 'credential', 'salt', 'username'] as const;

type Placeholder = (typeof PLACEHOLDERS)[number];

/** Stands in a placeholder while a template is made. Every format writes it unchanged, and no operator writes it. */
const marker = (placeholder: string): string => `Vh2pXq7T${placeholder}Kd0Rz9Lw`;
const MARKER_PATTERN = new RegExp(marker(`(${PLACEHOLDERS.join('|')})`));

/**
 * Makes the template that serves all proxies with the host, credential kind and selection of the given one.
 *
 * @returns null when the format leaves the proxy out.
 */
export function makeTemplate(writeProxy: FormatWriter['writeProxy'], proxy: SelectedProxy): ProxyTemplate | null {
  const { protocol, request } = proxy;
  const credential = marker('credential');
  const marked = 'id' in protocol ? { ...protocol, id: credential } : { ...protocol, password: credential };
  const written = writeProxy(
    resolveProxy({
      ...proxy,
      name: marker('name'),
      protocol: marked,
      salt: () => marker('salt'),
      request: { ...request, values: { USERNAME: marker('username') } },
    }),
  );
  if (written === undefined) return null;
  const { text, ...others } = written;
  return { ...others, parts: templateParts(text), escapeName: cachedEscape() };
}

function templateParts(text: string): TemplatePart[] {
  // A pattern with a group puts the names of the placeholders between the pieces of text.
  const pieces = text.split(MARKER_PATTERN);
  const parts: TemplatePart[] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const placeholder = PLACEHOLDERS.find((name) => name === pieces[at + 1]);
    parts.push({ text: byteText(pieces[at] ?? ''), placeholder });
  }
  return parts;
}

/** Escapes a text with a function and returns it as a byte text. */
export type CachedEscape = (escapeText: WrittenProxy['escapeText'], text: string) => string;

/** A function that escapes texts and remembers its last result: the same text often comes several times in a row. */
export function cachedEscape(): CachedEscape {
  let last: { escapeText: WrittenProxy['escapeText']; text: string; bytes: string } | undefined;
  return (escapeText, text) => {
    if (last?.text !== text || last.escapeText !== escapeText)
      last = { escapeText, text, bytes: byteText(escapeText(text)) };
    return last.bytes;
  };
}

/**
 * Writes the entry of a proxy from its template.
 *
 * @param escapeCredential shared by all proxies of one document: hosts of one protocol mostly stand together.
 */
export function fillTemplate(
  { parts, escapeName, escapeText, encodeText }: ProxyTemplate,
  { name, protocol, salt, request }: SelectedProxy,
  escapeCredential: CachedEscape,
): DocumentEntry {
  // Most remarks have no variables, so that the name is the same as for the previous user.
  const escapedName = escapeName(escapeText, name);
  let text = '';
  for (const part of parts) {
    text += part.text;
    if (part.placeholder === 'credential') text += escapeCredential(escapeText, credentialOf(protocol));
    else if (part.placeholder === 'name') text += escapedName;
    else if (part.placeholder === 'salt') text += salt();
    else if (part.placeholder === 'username') text += request.values.USERNAME ?? '';
  }
  return { name: escapedName, text: encodeText ? encodeText(text) : text };
}

const credentialOf = (protocol: ProxyProtocol): string => ('id' in protocol ? protocol.id : protocol.password);
