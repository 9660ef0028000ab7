import { renderClash, renderClashMeta } from './clash/clash.js';
import { renderLinks, renderLinksBase64 } from './links/links.js';
import { renderOutline } from './outline/outline.js';
import type { RenderedSubscription } from './rendered.js';
import type { ResolvedProxy } from './resolved-proxy.js';
import { renderSingBox } from './sing-box/sing-box.js';
import { renderXray } from './xray/xray.js';

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

type Renderer = (proxies: readonly ResolvedProxy[], clientVersion: string | undefined) => RenderedSubscription;

/** These carry whatever the engine does. */
const complete =
  (render: (proxies: readonly ResolvedProxy[]) => string): Renderer =>
  (proxies) => ({ body: render(proxies), leftOut: 0 });

const RENDERERS: Readonly<Record<SubscriptionFormat, Renderer>> = {
  links: complete(renderLinks),
  links_base64: complete(renderLinksBase64),
  xray: complete(renderXray),
  sing_box: renderSingBox,
  clash: renderClash,
  clash_meta: renderClashMeta,
  outline: renderOutline,
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
  return RENDERERS[format](proxies, clientVersion);
}
