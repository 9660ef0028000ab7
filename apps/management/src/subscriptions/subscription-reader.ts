import { Injectable } from '@nestjs/common';
import { formatValues, parseFormat, renderFormat, type ServerAddresses } from '@rampart/domain';
import { DataSource } from 'typeorm';
import { BatchLoader } from '../database/batch-loader.js';
import { withPreparedConnection } from '../database/prepared.js';
import { ManagementError } from '../errors/management-error.js';
import { SubscriptionLink, type SubscriptionSubject } from '../keys/subscription-link.js';
import { serverAddresses } from '../settings/server-addresses.js';
import type { SubscriptionSettings } from '../settings/subscription-settings.dto.js';
import { findSubscribers, type Subscriber } from '../user-store/subscriber.js';
import { HostSnapshot, type Snapshot } from './host-snapshot.js';

/** A subscription at the time of a request. */
export interface Subscription {
  userId: number;
  user: Subscriber;
  settings: SubscriptionSettings;
  /** The compiled hosts from which its proxies are made. */
  snapshot: Snapshot;
  /** The time of the request. */
  now: Date;
  server: ServerAddresses;
  url: string;
  title: string;
  /** URL of the support page; empty: none. */
  supportUrl: string;
}

@Injectable()
export class SubscriptionReader {
  private readonly subscribers: BatchLoader<SubscriptionSubject, Subscriber>;

  constructor(
    database: DataSource,
    private readonly link: SubscriptionLink,
    private readonly snapshots: HostSnapshot,
  ) {
    this.subscribers = new BatchLoader((work) =>
      withPreparedConnection(database, (query) => work((subjects) => findSubscribers(query, subjects))),
    );
  }

  /** Reads the subscription of a token. An invalid or revoked token gets the same answer as an unknown route. */
  async readSubscription(token: string): Promise<Subscription> {
    const subject = this.link.readToken(token);
    if (!subject) throw new ManagementError('NOT_FOUND');
    return this.readSubject(subject);
  }

  /** Reads the subscription of a user. @throws ManagementError when it was deleted or its links were revoked */
  async readSubject(subject: SubscriptionSubject): Promise<Subscription> {
    const user = await this.subscribers.load(subject);
    if (!user) throw new ManagementError('NOT_FOUND');
    const snapshot = await this.snapshots.atLeast(user.configVersion);
    const { settings } = snapshot;
    const [now, server] = [new Date(), serverAddresses(settings)];
    const title = user.profileTitle ? parseFormat(user.profileTitle) : snapshot.title;
    return {
      userId: subject.userId,
      user,
      settings,
      snapshot,
      now,
      server,
      url: this.link.urlOf(subject, user.subDomain || settings.url_prefix),
      title: renderFormat(title, formatValues(user, now, server)),
      supportUrl: user.supportUrl || settings.support_url,
    };
  }
}
