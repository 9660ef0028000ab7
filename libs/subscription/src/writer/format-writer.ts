import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { withoutReservedNames } from '../model/unique-names.js';
import type { RenderedSubscription } from '../rendered.js';
import { byteText, fromByteText } from './byte-text.js';

/** How a format is written: proxy by proxy, and a document around them. */
export interface FormatWriter {
  /** Names that the document needs itself. */
  readonly reserved: readonly string[];
  /** Undefined where the clients of the format have no way to connect so. */
  readonly write: (proxy: ResolvedProxy) => WrittenProxy | undefined;
  /** In bytes, see `byteText`. */
  readonly document: (entries: readonly DocumentEntry[]) => string;
}

/** A proxy as it stands in a document, but for the last step, where there is one. */
export interface WrittenProxy {
  readonly text: string;
  /** How the characters of a name or password stand in it. */
  readonly escaped: (text: string) => string;
  /** Of a text in ASCII, which it leaves so. */
  readonly seal?: (text: string) => string;
}

/** In bytes, see `byteText`. */
export interface DocumentEntry {
  /** Escaped, for what refers to the proxy. */
  readonly name: string;
  readonly text: string;
}

/** The document with all proxies that its clients can use. */
export function renderDocument<Proxy extends { readonly name: string }>(
  { document, reserved }: FormatWriter,
  proxies: readonly Proxy[],
  entryOf: (proxy: Proxy) => DocumentEntry | undefined,
): RenderedSubscription {
  const entries: DocumentEntry[] = [];
  for (const proxy of withoutReservedNames(proxies, reserved)) {
    const entry = entryOf(proxy);
    if (entry) entries.push(entry);
  }
  return { body: fromByteText(document(entries)), leftOut: proxies.length - entries.length };
}

export function documentEntry({ write }: FormatWriter, proxy: ResolvedProxy): DocumentEntry | undefined {
  const written = write(proxy);
  if (written === undefined) return undefined;
  const { text, escaped, seal } = written;
  return { name: byteText(escaped(proxy.name)), text: byteText(seal ? seal(text) : text) };
}

/** The characters of a text as they stand in JSON. */
export const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A proxy that stands in its document as JSON. */
export const jsonProxy = (value: object | undefined): WrittenProxy | undefined =>
  value && { text: JSON.stringify(value), escaped: escapeJson };
