import { Type } from 'class-transformer';
import { IsOptional, IsString } from 'class-validator';
import { STRING } from '../../http/messages.js';
import { OptionalInteger } from '../../http/rules.js';
import { UsageHours } from '../../usage/usage.dto.js';

const LARGEST_ID = 2 ** 31 - 1;

/** Whose fetches are counted: of the users that the admin may see, those for whom all of this holds. */
export class UpdateFilter extends UsageHours {
  @OptionalInteger(1, LARGEST_ID)
  @Type(() => Number)
  user_id?: number;

  @IsString(STRING)
  @IsOptional()
  username?: string;

  @OptionalInteger(1, LARGEST_ID)
  @Type(() => Number)
  admin_id?: number;
}

export interface SubscriptionUpdateView {
  created_at: string;
  user_agent: string;
}

/** The newest first. */
export interface SubscriptionUpdateList {
  updates: SubscriptionUpdateView[];
  count: number;
}

/** An application by the name that it gives itself. */
export interface ApplicationShare {
  name: string;
  count: number;
  /** Of all that are counted. */
  percentage: number;
}

/** The most frequent first; all that are rare stand together at the end. */
export interface ApplicationChart {
  total: number;
  segments: ApplicationShare[];
}
