import { randomInt } from 'node:crypto';
import { type RenderedSubscription, renderSubscription, type SubscriptionFormat } from '@rampart/subscription';
import type { Subscription } from './subscription-reader.js';

/** The inbound tags that the enabled groups of the user grant. */
export const grantsTo = ({ user, snapshot: { grants } }: Subscription): { has(tag: string): boolean } => ({
  has: (tag) => user.groupIds.some((id) => grants.get(id)?.has(tag)),
});

/** @param clientVersion the version of the client, where it decides what a document may contain */
export function renderSubscriptionOf(
  subscription: Subscription,
  format: SubscriptionFormat,
  clientVersion?: string,
): RenderedSubscription {
  const { user, settings, snapshot, server, now } = subscription;
  return renderSubscription(snapshot, {
    subscriber: user,
    format,
    clientVersion,
    inboundTags: grantsTo(subscription),
    everyStatus: !settings.host_status_filter,
    randomizeOrder: settings.randomize_order,
    server,
    random: randomInt,
    now,
  });
}
