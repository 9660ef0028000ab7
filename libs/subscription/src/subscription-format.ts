import { renderLinks, renderLinksBase64 } from './links/links.js';
import type { ResolvedProxy } from './resolved-proxy.js';
import { renderXray } from './xray/xray.js';

export const SUBSCRIPTION_FORMATS = ['links', 'links_base64', 'xray'] as const;
export type SubscriptionFormat = (typeof SUBSCRIPTION_FORMATS)[number];

const CONTENT_TYPES: Readonly<Record<SubscriptionFormat, string>> = {
  links: 'text/plain; charset=utf-8',
  links_base64: 'text/plain; charset=utf-8',
  xray: 'application/json; charset=utf-8',
};

const RENDERERS: Readonly<Record<SubscriptionFormat, (proxies: readonly ResolvedProxy[]) => string>> = {
  links: renderLinks,
  links_base64: renderLinksBase64,
  xray: renderXray,
};

/** The value of the `content-type` header. */
export function contentType(format: SubscriptionFormat): string {
  return CONTENT_TYPES[format];
}

/** The body of a subscription. */
export function renderSubscription(format: SubscriptionFormat, proxies: readonly ResolvedProxy[]): string {
  return RENDERERS[format](proxies);
}
