import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { documentEntry, type FormatWriter, type RenderedDocument, renderDocument } from '../writer/format-writer.js';
import { CLASH, CLASH_META } from './clash/clash.js';
import { LINKS, LINKS_BASE64 } from './links/links.js';
import { OUTLINE } from './outline/outline.js';
import { singBoxWriter } from './sing-box/sing-box.js';
import { XRAY } from './xray/xray.js';

/** The formats of subscriptions, as they stand in URLs and settings. */
export const SUBSCRIPTION_FORMATS = [
  'links',
  'links_base64',
  'xray',
  'sing_box',
  'clash',
  'clash_meta',
  'outline',
] as const;
export type SubscriptionFormat = (typeof SUBSCRIPTION_FORMATS)[number];

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const YAML_TYPE = 'text/yaml; charset=utf-8';

const CONTENT_TYPES: Readonly<Record<SubscriptionFormat, string>> = {
  links: TEXT_TYPE,
  links_base64: TEXT_TYPE,
  xray: JSON_TYPE,
  sing_box: JSON_TYPE,
  clash: YAML_TYPE,
  clash_meta: YAML_TYPE,
  outline: JSON_TYPE,
};

/**
 * The writer of a format.
 *
 * @param clientVersion the version of the client, such as `1.11.15`; only profiles of sing-box depend on it.
 */
export function writerOf(format: SubscriptionFormat, clientVersion: string | undefined): FormatWriter {
  return format === 'sing_box' ? singBoxWriter(clientVersion) : WRITERS[format];
}

const WRITERS: Readonly<Record<Exclude<SubscriptionFormat, 'sing_box'>, FormatWriter>> = {
  links: LINKS,
  links_base64: LINKS_BASE64,
  xray: XRAY,
  clash: CLASH,
  clash_meta: CLASH_META,
  outline: OUTLINE,
};

/** The value of the `Content-Type` header for a document of a format. */
export function contentType(format: SubscriptionFormat): string {
  return CONTENT_TYPES[format];
}

/**
 * Renders resolved proxies without templates.
 *
 * @param clientVersion the version of the client, such as `1.11.15`; undefined = a current one.
 */
export function renderProxies(
  format: SubscriptionFormat,
  proxies: readonly ResolvedProxy[],
  clientVersion?: string,
): RenderedDocument {
  const writer = writerOf(format, clientVersion);
  return renderDocument(writer, proxies, (proxy) => documentEntry(writer, proxy));
}
