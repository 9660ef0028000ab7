import type { SubscriptionFormat } from '@rampart/subscription';
import { OptionalText } from '../../validation/rules.js';

export class PreviewQuery {
  /**
   * The client that asks: a name such as `v2rayng`, `happ`, `hiddify`, `streisand`, `clash-verge`, `mihomo`, `sing-box`,
   * `outline` or `browser`, or a User-Agent. Absent: one that sends no User-Agent.
   */
  @OptionalText(256)
  client?: string;
}

/** Why a host is not in a subscription. */
export type AbsenceReason = 'disabled' | 'not_granted' | 'status' | 'broken' | 'failing' | 'not_carried' | 'refused';

/** A host and whether a client gets it. */
export interface PreviewedHost {
  /** The id of the host; null for one that is not stored. */
  id: number | null;
  /** The name of the host before its variables are replaced. */
  remark: string;
  /** The name that the client shows; null: the client does not get the host. */
  name: string | null;
  /**
   * Why the client does not get the host: it is disabled, no enabled group of the user grants its inbound, it is not for users
   * of this status, it cannot work, it fails its probes, the format cannot carry it, or the client is refused. Null: the client
   * gets it.
   */
  reason: AbsenceReason | null;
  /** The reason in a sentence; null: the client gets the host. */
  message: string | null;
}

/** What a client would get for the subscription of a user. */
export interface SubscriptionPreview {
  /** The User-Agent of the client. */
  client: string;
  /** The format that the rules of the settings select; `page` for browsers. Null: the client is refused. */
  format: SubscriptionFormat | 'page' | null;
  /** The headers of the answer, with names in lower case. */
  headers: Record<string, string>;
  /** The answer itself; null: the client is refused. */
  document: string | null;
  /** The hosts in the order of the subscription. Admins who are not sudo see only those that the user's groups grant. */
  hosts: PreviewedHost[];
}
