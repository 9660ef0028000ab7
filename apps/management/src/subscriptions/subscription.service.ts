import { randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { formatValues } from '@rampart/domain';
import { contentType, renderSubscription, resolveProxies, SUBSCRIPTION_FORMATS } from '@rampart/subscription';
import { DataSource } from 'typeorm';
import { ManagementError } from '../errors/management-error.js';
import { publicAddresses } from '../http/own-address.js';
import { findSubscriber } from '../users/subscriber.js';
import { SubscriptionLink } from '../users/subscription-link.js';
import { HostSnapshot } from './host-snapshot.js';
import { subscriptionHeaders } from './subscription-headers.js';

export interface SubscriptionAnswer {
  headers: Record<string, string>;
  body: string;
}

/** What every client can read. */
const DEFAULT_FORMAT = 'links_base64';

@Injectable()
export class SubscriptionService {
  private readonly server = publicAddresses(networkInterfaces());

  constructor(
    private readonly database: DataSource,
    private readonly link: SubscriptionLink,
    private readonly snapshot: HostSnapshot,
  ) {}

  /** Whatever is wrong with the token or the format, the answer is the one of an unknown route. */
  async answer(token: string, formatName: string = DEFAULT_FORMAT): Promise<SubscriptionAnswer> {
    const format = SUBSCRIPTION_FORMATS.find((known) => known === formatName);
    const subject = this.link.read(token);
    const user = format && subject && (await findSubscriber(this.database.manager, subject));
    if (!user) throw new ManagementError('NOT_FOUND');
    const compiled = await this.snapshot.atLeast(user.catalogueVersion);
    const proxies = resolveProxies(compiled, {
      user,
      inboundTags: user.inboundTags,
      values: formatValues(user, new Date(), this.server),
      random: (max) => randomInt(max),
    });
    const headers = { ...subscriptionHeaders(user, this.link.urlOf(subject)), 'content-type': contentType(format) };
    return { headers, body: renderSubscription(format, proxies).body };
  }
}
