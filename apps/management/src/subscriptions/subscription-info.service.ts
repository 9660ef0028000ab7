import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ManagementError } from '../errors/management-error.js';
import { SubscriptionLink } from '../keys/subscription-link.js';
import type { UsageQuery, UsageView, UserUsageView } from '../usage/usage.dto.js';
import { UsageService } from '../usage/usage.service.js';
import { findSubscribedView } from '../users/view/user.view.js';
import { importLink } from './page/known-applications.js';
import type { OfferedApplication, SubscriptionInfo } from './subscription.dto.js';
import { SubscriptionReader } from './subscription-reader.js';

/** Information about a subscription, for everybody who has its link. */
@Injectable()
export class SubscriptionInfoService {
  constructor(
    private readonly database: DataSource,
    private readonly link: SubscriptionLink,
    private readonly reader: SubscriptionReader,
    private readonly usages: UsageService,
  ) {}

  async info(token: string): Promise<SubscriptionInfo> {
    const subject = this.link.readToken(token);
    const view = subject && (await findSubscribedView(this.database.manager, subject));
    if (!view) throw new ManagementError('NOT_FOUND');
    const { admin, note, auto_delete_in_days, subscription_url, version, ...shown } = view;
    return shown;
  }

  async usage(token: string, query: UsageQuery): Promise<UsageView<UserUsageView>> {
    const { userId } = await this.reader.readSubscription(token);
    return this.usages.usageOfUserId(userId, query);
  }

  async applications(token: string): Promise<OfferedApplication[]> {
    const { settings, url, title } = await this.reader.readSubscription(token);
    return settings.applications.map((application) => ({
      ...application,
      import_url: importLink(application.import_url, url, title),
    }));
  }
}
