import { MAX_INT32 } from '@rampart/domain';
import { OptionalBoolean, OptionalInteger, OptionalObject } from '../../validation/rules.js';

/** What follows when a user's time or traffic is used up. A template, where there is one, decides all but the rest. */
export class NextPlanInput {
  /**
   * The id of the template that the plan is; then only `add_remaining_traffic` counts beside it. Null or absent: none.
   */
  @OptionalInteger(1, MAX_INT32)
  user_template_id?: number | null;

  /** Bytes. 0, null or absent: unlimited. */
  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  /** Seconds that the plan lasts. 0, null or absent: it has no end. */
  @OptionalInteger(0, 3_155_760_000)
  expire?: number | null;

  /** Whether what is left of the old limit is added to the new one. Null or absent: it is not. */
  @OptionalBoolean()
  add_remaining_traffic?: boolean | null;
}

export const OptionalNextPlan = (): PropertyDecorator => OptionalObject(() => NextPlanInput);

/** As it is stored with the user. */
export interface NextPlan {
  /** The id of the template that the plan is; null: none. */
  user_template_id: number | null;
  /** Bytes; 0: unlimited. */
  data_limit: number;
  /** Seconds that the plan lasts; 0: it has no end. */
  expire: number;
  /** Whether what is left of the old limit is added to the new one. */
  add_remaining_traffic: boolean;
}

/** Why a plan cannot begin: its template is gone, or disabled for now, or it is not what was stored once. */
export type PlanProblem = 'missing' | 'disabled' | 'damaged';

/** What follows when a user's time or traffic is used up. */
export interface NextPlanView extends NextPlan {
  /** Why the plan would not begin now, in a sentence; null: it would. */
  problem: string | null;
}

export const nextPlanOf = ({
  user_template_id,
  data_limit,
  expire,
  add_remaining_traffic,
}: NextPlanInput): NextPlan => ({
  user_template_id: user_template_id ?? null,
  data_limit: data_limit ?? 0,
  expire: expire ?? 0,
  add_remaining_traffic: add_remaining_traffic ?? false,
});

/** Of a plan that is damaged what can be shown of it; it never begins. */
export function shownNextPlan(stored: unknown): NextPlan {
  const { user_template_id, data_limit, expire, add_remaining_traffic } = Object(stored);
  const natural = (value: unknown) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
  return {
    user_template_id: natural(user_template_id) || null,
    data_limit: natural(data_limit),
    expire: natural(expire),
    add_remaining_traffic: add_remaining_traffic === true,
  };
}
