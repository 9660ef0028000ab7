import {
  type FormatUser,
  type FormatValues,
  formatValues,
  type ProxySettings,
  type ServerAddresses,
} from '@rampart/domain';
import { contentType, type SubscriptionFormat, writerOf } from './formats/subscription-format.js';
import type { CompiledHosts } from './model/compiled-host.js';
import type { ProxyRequest, Random } from './model/selected-proxy.js';
import { selectProxies } from './resolve/select-proxies.js';
import { shuffle } from './resolve/shuffle.js';
import { renderSelected } from './templates/render-selected.js';
import type { TemplateCache } from './templates/template-cache.js';

/** What all requests share until hosts or cores change. */
export interface SubscriptionSnapshot {
  readonly hosts: CompiledHosts;
  /** A cache of its own for these hosts, which requests fill. */
  readonly templates: TemplateCache;
}

/** The user whose subscription is rendered. */
export interface Subscriber extends FormatUser {
  readonly proxySettings: ProxySettings;
}

/** One request for a subscription. */
export interface SubscriptionRequest extends Pick<ProxyRequest, 'inboundTags' | 'everyStatus'> {
  readonly subscriber: Subscriber;
  readonly format: SubscriptionFormat;
  /** The version of the client, such as `1.11.15` of sing-box; undefined = a current one. */
  readonly clientVersion?: string | undefined;
  /** The addresses that `{SERVER_IP}` and `{SERVER_IPV6}` stand for. */
  readonly server: ServerAddresses;
  /** Whether the proxies come in a random order. Default: in the order of the snapshot. */
  readonly randomizeOrder?: boolean;
  readonly random: Random;
  readonly now: Date;
}

/** The answer to one request. */
export interface RenderedSubscription {
  /** The document in UTF-8. */
  readonly body: Buffer;
  /** The value of the `Content-Type` header. */
  readonly contentType: string;
  /** Values of the format variables for this user at `now`, for headers that are format strings. */
  readonly values: FormatValues;
  /** All proxies of the user with their display names and the hosts that they are made of, in the order of the document. */
  readonly proxies: readonly { readonly name: string; readonly host: { readonly id: number } }[];
  /** Number of proxies that the document leaves out because its format or client cannot carry them. */
  readonly leftOut: number;
}

/**
 * Renders the subscription of one user in one format. It does not throw: hosts that cannot work are left out when the
 * snapshot is compiled, and proxies that the format cannot carry are counted in `leftOut`.
 */
export function renderSubscription(
  { hosts, templates }: SubscriptionSnapshot,
  request: SubscriptionRequest,
): RenderedSubscription {
  const { subscriber, format, clientVersion, server, inboundTags, everyStatus = false, random, now } = request;
  const values = formatValues(subscriber, now, server);
  const selected = selectProxies(hosts, { user: subscriber, inboundTags, everyStatus, values, random });
  const proxies = request.randomizeOrder ? shuffle(selected, random) : selected;
  const { body, leftOut } = renderSelected(writerOf(format, clientVersion), proxies, templates);
  return { body, contentType: contentType(format), values, proxies, leftOut };
}
