import type { ProxyProtocol } from '../model/resolved-proxy.js';
import { resolveProxy, type SelectedProxy } from '../resolve/resolve-proxies.js';
import { byteText } from '../writer/byte-text.js';
import type { DocumentEntry, FormatWriter, WrittenProxy } from '../writer/format-writer.js';

/** What a proxy looks like in a format, with gaps for what is another one with each user; null: it is left out. */
export type ProxyTemplate =
  | null
  | (Omit<WrittenProxy, 'text'> & {
      readonly parts: readonly TemplatePart[];
      readonly nameText: EscapedText;
    });

/** A text in bytes, and the gap behind it; there is none behind the last one. */
interface TemplatePart {
  readonly text: string;
  readonly gap: Gap | undefined;
}

const GAPS = ['name', 'credential', 'salt', 'username'] as const;

type Gap = (typeof GAPS)[number];

/** What stands in a gap while a template is made: every format writes it as it is, and nobody else writes it. */
const mark = (gap: string): string => `Vh2pXq7T${gap}Kd0Rz9Lw`;
const MARK = new RegExp(mark(`(${GAPS.join('|')})`));

export function makeTemplate(write: FormatWriter['write'], drawn: SelectedProxy): ProxyTemplate {
  const { protocol, request } = drawn;
  const credential = mark('credential');
  const open = 'id' in protocol ? { ...protocol, id: credential } : { ...protocol, password: credential };
  const values = { USERNAME: mark('username') };
  const marked = { name: mark('name'), protocol: open, salt: () => mark('salt'), request: { ...request, values } };
  const written = write(resolveProxy({ ...drawn, ...marked }));
  if (written === undefined) return null;
  const { text, ...others } = written;
  return { ...others, parts: partsOf(text), nameText: cachedEscape() };
}

function partsOf(text: string): TemplatePart[] {
  const pieces = text.split(MARK);
  const parts: TemplatePart[] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    parts.push({ text: byteText(pieces[at] ?? ''), gap: GAPS.find((gap) => gap === pieces[at + 1]) });
  }
  return parts;
}

type EscapedText = (escaped: WrittenProxy['escaped'], text: string) => string;

/** Escapes a text, in bytes. What comes twice in a row is not escaped again. */
export function cachedEscape(): EscapedText {
  let last: { escaped: WrittenProxy['escaped']; text: string; bytes: string } | undefined;
  return (escaped, text) => {
    if (last?.text !== text || last.escaped !== escaped) last = { escaped, text, bytes: byteText(escaped(text)) };
    return last.bytes;
  };
}

/** @param credentialText of this document: hosts of one protocol mostly stand together */
export function fillTemplate(
  template: ProxyTemplate,
  { name, protocol, salt, request }: SelectedProxy,
  credentialText: EscapedText,
): DocumentEntry | undefined {
  if (template === null) return undefined;
  const { parts, nameText, escaped, seal } = template;
  // Most remarks have no variables: the name is what it was for the user before.
  const escapedName = nameText(escaped, name);
  let text = '';
  for (const part of parts) {
    text += part.text;
    if (part.gap === 'credential') text += credentialText(escaped, credentialOf(protocol));
    else if (part.gap === 'name') text += escapedName;
    else if (part.gap === 'salt') text += salt();
    else if (part.gap === 'username') text += request.values.USERNAME ?? '';
  }
  return { name: escapedName, text: seal ? seal(text) : text };
}

const credentialOf = (protocol: ProxyProtocol): string => ('id' in protocol ? protocol.id : protocol.password);
