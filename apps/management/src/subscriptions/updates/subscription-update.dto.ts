import { MAX_INT32 } from '@rampart/domain';
import { IsOptional, IsString } from 'class-validator';
import { UsageHours } from '../../usage/usage.dto.js';
import { STRING } from '../../validation/messages.js';
import { IntegerText } from '../../validation/query-values.js';
import { OptionalInteger } from '../../validation/rules.js';

/** Whose fetches are counted: of the users that the admin may see, those for whom all of this holds. */
export class UpdateFilter extends UsageHours {
  /** Only fetches of the user of this id. */
  @OptionalInteger(1, MAX_INT32)
  @IntegerText()
  user_id?: number;

  /** Only fetches of the user of this name. */
  @IsString(STRING)
  @IsOptional()
  username?: string;

  /** Only fetches of users of the admin of this id. */
  @OptionalInteger(1, MAX_INT32)
  @IntegerText()
  admin_id?: number;
}

/** A fetch of a subscription. */
export interface SubscriptionUpdateView {
  /**
   * When it was.
   * @format date-time
   */
  created_at: string;
  /** What the client called itself. */
  user_agent: string;
}

/** The newest fetches of a user, the newest first; ten are kept. */
export interface SubscriptionUpdateList {
  /** The fetches in the window. */
  updates: SubscriptionUpdateView[];
  /** How many are kept. */
  count: number;
}

/** An application by the name that it gives itself. */
export interface ApplicationShare {
  /** The name, without version. */
  name: string;
  /** How many fetches are the application's. */
  count: number;
  /**
   * The same in percent of all that are counted.
   * @decimal
   */
  percentage: number;
}

/** The most frequent first; all that are rare stand together at the end. */
export interface ApplicationChart {
  /** How many fetches are counted. */
  total: number;
  /** The applications. */
  segments: ApplicationShare[];
}
