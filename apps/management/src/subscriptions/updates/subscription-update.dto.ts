import { MAX_INT32 } from '@rampart/domain';
import { IsOptional, IsString } from 'class-validator';
import { UsageHours } from '../../usage/usage.dto.js';
import { STRING } from '../../validation/messages.js';
import { IntegerText } from '../../validation/query-values.js';
import { OptionalInteger } from '../../validation/rules.js';

/** Filters for fetches. Only users that the admin may see are counted, and all conditions must hold. */
export class UpdateFilter extends UsageHours {
  /** Only fetches of the user with this id. */
  @OptionalInteger(1, MAX_INT32)
  @IntegerText()
  user_id?: number;

  /** Only fetches of the user with this name. */
  @IsString(STRING)
  @IsOptional()
  username?: string;

  /** Only fetches of users of the admin with this id. */
  @OptionalInteger(1, MAX_INT32)
  @IntegerText()
  admin_id?: number;
}

/** A fetch of a subscription. */
export interface SubscriptionUpdateView {
  /**
   * When the subscription was fetched.
   * @format date-time
   */
  created_at: string;
  /** The User-Agent of the client. */
  user_agent: string;
}

/** The latest fetches of a user, newest first. Ten are stored. */
export interface SubscriptionUpdateList {
  /** The fetches of the requested page. */
  updates: SubscriptionUpdateView[];
  /** The number of stored fetches. */
  count: number;
}

/** The share of an application, by the name in its User-Agent. */
export interface ApplicationShare {
  /** The name without the version. */
  name: string;
  /** The number of its fetches. */
  count: number;
  /**
   * Its share of all counted fetches in percent.
   * @decimal
   */
  percentage: number;
}

/** Applications by frequency. Rare ones are counted together in the last element. */
export interface ApplicationChart {
  /** The number of counted fetches. */
  total: number;
  /** The applications, the most frequent first. */
  segments: ApplicationShare[];
}
