import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type RenderedSubscription,
  renderSubscription,
  SUBSCRIPTION_FORMATS,
  type SubscriptionFormat,
} from '@rampart/subscription';
import { ManagementError } from '../errors/management-error.js';
import { utf8Bytes } from '../http/utf8-bytes.js';
import { type Client, singBoxVersion } from './client.js';
import { ruleFor } from './client-rules.js';
import { type PageLanguage, preferredLanguage } from './page/page-text.js';
import { PAGE_POLICY, renderPage } from './page/subscription-page.js';
import { ruleHeaders, subscriptionHeaders } from './subscription-headers.js';
import { pageOf } from './subscription-page-content.js';
import { type Subscription, SubscriptionReader } from './subscription-reader.js';
import { SubscriptionUpdateRecorder } from './updates/subscription-update-recorder.js';

export interface SubscriptionAnswer {
  headers: Record<string, string>;
  body: Buffer;
}

@Injectable()
export class SubscriptionService {
  constructor(
    private readonly reader: SubscriptionReader,
    private readonly updates: SubscriptionUpdateRecorder,
  ) {}

  /** The page for a browser, or the format that the rules select for an application. Blocked clients are always refused. */
  async byClient(token: string, client: Client, language?: PageLanguage): Promise<SubscriptionAnswer> {
    const subscription = await this.reader.readSubscription(token);
    const { settings } = subscription;
    const rule = ruleFor(settings.rules, client.userAgent);
    if (rule?.target === 'block') throw new ManagementError('CLIENT_BLOCKED');
    if (client.isBrowser && !settings.disable_sub_template) {
      return this.page(subscription, language ?? preferredLanguage(client.languages));
    }
    if (!rule) throw new ManagementError('CLIENT_BLOCKED');
    const { headers, body, values } = this.document(subscription, rule.target, client);
    return { headers: { ...headers, ...ruleHeaders(rule, values) }, body };
  }

  /** The subscription in one format. An unknown format gets the same answer as an invalid token. */
  async inFormat(token: string, name: string, client: Client): Promise<SubscriptionAnswer> {
    const format = SUBSCRIPTION_FORMATS.find((known) => known === name);
    if (!format) throw new ManagementError('NOT_FOUND');
    const subscription = await this.reader.readSubscription(token);
    if (!subscription.settings.manual_sub_request[format]) throw new ManagementError('FORMAT_DISABLED');
    const { headers, body } = this.document(subscription, format, client);
    return { headers, body };
  }

  private document(
    subscription: Subscription,
    format: SubscriptionFormat,
    { userAgent }: Client,
  ): SubscriptionAnswer & Pick<RenderedSubscription, 'values'> {
    const { body, contentType, values } = render(subscription, format, singBoxVersion(userAgent));
    this.updates.record(subscription.userId, userAgent);
    return { headers: { ...subscriptionHeaders(subscription), 'content-type': contentType }, body, values };
  }

  private page(subscription: Subscription, language: PageLanguage): SubscriptionAnswer {
    const page = pageOf(subscription, render(subscription, 'links'), language);
    return {
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY },
      body: utf8Bytes(renderPage(page, language)),
    };
  }
}

function render(
  { user, settings, snapshot, server, now }: Subscription,
  format: SubscriptionFormat,
  clientVersion?: string,
): RenderedSubscription {
  const { grants } = snapshot;
  return renderSubscription(snapshot, {
    subscriber: user,
    format,
    clientVersion,
    inboundTags: { has: (tag) => user.groupIds.some((id) => grants.get(id)?.has(tag)) },
    everyStatus: !settings.host_status_filter,
    randomizeOrder: settings.randomize_order,
    server,
    random: randomInt,
    now,
  });
}
