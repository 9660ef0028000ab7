import { Injectable } from '@nestjs/common';
import { utf8Bytes } from '../http/utf8-bytes.js';
import { UsageService } from '../usage/usage.service.js';
import { HISTORY_DAYS, historyStart } from './page/page-history.js';
import type { PageLanguage } from './page/page-language.js';
import { knownPlatform, platformOf } from './page/page-platform.js';
import { PAGE_POLICY, PAGE_POLICY_WITH_LOGO, renderPage } from './page/subscription-page.js';
import { renderSubscriptionOf } from './render.js';
import { ServerStateReader } from './server-states.js';
import { pageOf } from './subscription-page-content.js';
import type { Subscription } from './subscription-reader.js';

/** Who reads the page. */
export interface PageReader {
  readonly language: PageLanguage;
  readonly userAgent: string;
  /** The platform that the reader has chosen. */
  readonly platform?: string | undefined;
}

const DAY_MS = 86_400_000;

/** Makes the page of a subscription. */
@Injectable()
export class SubscriptionPageService {
  constructor(
    private readonly usages: UsageService,
    private readonly states: ServerStateReader,
  ) {}

  async page(
    subscription: Subscription,
    { language, userAgent, platform }: PageReader,
  ): Promise<{ headers: Record<string, string>; body: Buffer }> {
    const { userId, now, snapshot, settings } = subscription;
    const [history, states] = await Promise.all([this.history(userId, now), this.states.states(snapshot, now)]);
    const page = pageOf(subscription, renderSubscriptionOf(subscription, 'links'), {
      language,
      chosen: knownPlatform(platform),
      guessed: platformOf(userAgent),
      history,
      states,
    });
    const policy = settings.logo === '' ? PAGE_POLICY : PAGE_POLICY_WITH_LOGO;
    return {
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
      body: utf8Bytes(renderPage(page, language)),
    };
  }

  /** Bytes of each of the last days in UTC, the oldest first. */
  private async history(userId: number, now: Date): Promise<number[]> {
    const start = historyStart(now);
    const { stats } = await this.usages.usageOfUserId(userId, { period: 'day', start: start.toISOString() });
    const days = new Array<number>(HISTORY_DAYS).fill(0);
    for (const { period_start, total_traffic } of Object.values(stats).flat())
      days[(Date.parse(period_start) - start.getTime()) / DAY_MS] = total_traffic;
    return days;
  }
}
