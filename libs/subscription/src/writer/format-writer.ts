import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { withoutReservedNames } from '../model/unique-names.js';
import { byteText, fromByteText } from './byte-text.js';

/** How a format is written: each proxy on its own, and a document around all of them. */
export interface FormatWriter {
  /** Names that the document uses itself; no proxy may have one of them. */
  readonly reservedNames: readonly string[];
  /** Writes one proxy; undefined when the clients of the format cannot connect in this way. */
  readonly writeProxy: (proxy: ResolvedProxy) => WrittenProxy | undefined;
  /** Joins the entries to the whole document, as a byte text (see `byteText`). */
  readonly writeDocument: (entries: readonly DocumentEntry[]) => string;
}

/** A proxy as its format writes it, before `encodeText`. */
export interface WrittenProxy {
  readonly text: string;
  /** Escapes a name or a password for `text`. */
  readonly escapeText: (text: string) => string;
  /** The last step of writing, such as Base64, where the format has one. It takes and returns ASCII. */
  readonly encodeText?: (text: string) => string;
}

/** A proxy in a document. Both are byte texts (see `byteText`). */
export interface DocumentEntry {
  /** The escaped name, for groups that refer to the proxy. */
  readonly name: string;
  readonly text: string;
}

/** A document in UTF-8. */
export interface RenderedDocument {
  readonly body: Buffer;
  /** Number of proxies that the document leaves out because its format or client cannot carry them. */
  readonly leftOut: number;
}

/** Renders the document with all proxies for which `entryOf` returns an entry. */
export function renderDocument<Proxy extends { readonly name: string }>(
  { writeDocument, reservedNames }: FormatWriter,
  proxies: readonly Proxy[],
  entryOf: (proxy: Proxy) => DocumentEntry | undefined,
): RenderedDocument {
  const entries: DocumentEntry[] = [];
  for (const proxy of withoutReservedNames(proxies, reservedNames)) {
    const entry = entryOf(proxy);
    if (entry) entries.push(entry);
  }
  return { body: fromByteText(writeDocument(entries)), leftOut: proxies.length - entries.length };
}

/** Writes the entry of a resolved proxy; undefined when the format leaves it out. */
export function documentEntry({ writeProxy }: FormatWriter, proxy: ResolvedProxy): DocumentEntry | undefined {
  const written = writeProxy(proxy);
  if (written === undefined) return undefined;
  const { text, escapeText, encodeText } = written;
  return { name: byteText(escapeText(proxy.name)), text: byteText(encodeText ? encodeText(text) : text) };
}

/** Escapes a text for the inside of a JSON string, without the quotes. */
export const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A proxy that its format writes as a JSON object; undefined stays undefined. */
export const jsonProxy = (value: object | undefined): WrittenProxy | undefined =>
  value && { text: JSON.stringify(value), escapeText: escapeJson };
