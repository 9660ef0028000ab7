import { Injectable } from '@nestjs/common';
import { type RenderedSubscription, SUBSCRIPTION_FORMATS, type SubscriptionFormat } from '@rampart/subscription';
import { ManagementError } from '../errors/management-error.js';
import { type Client, singBoxVersion } from './client.js';
import { ruleFor } from './client-rules.js';
import { knownLanguage, preferredLanguage } from './page/page-language.js';
import { renderSubscriptionOf } from './render.js';
import type { PageQuery } from './subscription.dto.js';
import { ruleHeaders, subscriptionHeaders } from './subscription-headers.js';
import { SubscriptionMetrics } from './subscription-metrics.js';
import { SubscriptionPageService } from './subscription-page.service.js';
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
    private readonly pages: SubscriptionPageService,
    private readonly updates: SubscriptionUpdateRecorder,
    private readonly metrics: SubscriptionMetrics,
  ) {}

  /** The page for a browser, or the format that the rules select for an application. Blocked clients are always refused. */
  async byClient(token: string, client: Client, chosen: PageQuery = {}): Promise<SubscriptionAnswer> {
    const subscription = await this.reader.readSubscription(token);
    const { settings } = subscription;
    const rule = ruleFor(settings.rules, client.userAgent);
    if (rule?.target === 'block') throw new ManagementError('CLIENT_BLOCKED');
    if (client.isBrowser && !settings.disable_sub_template) {
      this.metrics.count('page', client.userAgent);
      const language = knownLanguage(chosen.lang) ?? preferredLanguage(client.languages);
      return this.pages.page(subscription, { language, userAgent: client.userAgent, platform: chosen.os });
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
    const { body, contentType, values } = renderSubscriptionOf(subscription, format, singBoxVersion(userAgent));
    this.updates.record(subscription.userId, userAgent);
    this.metrics.count(format, userAgent);
    return { headers: { ...subscriptionHeaders(subscription), 'content-type': contentType }, body, values };
  }
}
