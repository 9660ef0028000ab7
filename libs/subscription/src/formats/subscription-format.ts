import type { ResolvedProxy } from '../model/resolved-proxy.js';
import type { RenderedSubscription } from '../rendered.js';
import { resolveProxy, type SelectedProxy } from '../resolve/resolve-proxies.js';
import { cachedEscape, fillTemplate } from '../templates/proxy-template.js';
import { documentEntry, type FormatWriter, renderDocument } from '../writer/format-writer.js';
import { CLASH, CLASH_META } from './clash/clash.js';
import { LINKS, LINKS_BASE64 } from './links/links.js';
import { OUTLINE } from './outline/outline.js';
import { singBoxWriter } from './sing-box/sing-box.js';
import { XRAY } from './xray/xray.js';

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

/** @param clientVersion of the app that asks; only profiles of sing-box depend on it */
function writerOf(format: SubscriptionFormat, clientVersion: string | undefined): FormatWriter {
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

/** The value of the `content-type` header. */
export function contentType(format: SubscriptionFormat): string {
  return CONTENT_TYPES[format];
}

/**
 * The body of a subscription.
 *
 * @param clientVersion of the app that asks, where it says one, such as `1.11.15` of sing-box
 */
export function renderSubscription(
  format: SubscriptionFormat,
  proxies: readonly ResolvedProxy[],
  clientVersion?: string,
): RenderedSubscription {
  const writer = writerOf(format, clientVersion);
  return renderDocument(writer, proxies, (proxy) => documentEntry(writer, proxy));
}

/** The same of proxies that are only drawn: what many requests have in common was resolved and written once. */
export function renderDrawn(
  format: SubscriptionFormat,
  proxies: readonly SelectedProxy[],
  clientVersion?: string,
): RenderedSubscription {
  const writer = writerOf(format, clientVersion);
  const credentialText = cachedEscape();
  return renderDocument(writer, proxies, (drawn) => {
    const template = drawn.compiled.templates.find(writer.write, drawn);
    return template === undefined
      ? documentEntry(writer, resolveProxy(drawn))
      : fillTemplate(template, drawn, credentialText);
  });
}
