import { MAX_INT32 } from '@rampart/domain';
import { OptionalBoolean, OptionalInteger, OptionalObject } from '../../validation/rules.js';

/**
 * The plan that begins when a user's time or traffic is used up. A template, if given, decides everything except
 * `add_remaining_traffic`.
 */
export class NextPlanInput {
  /**
   * The id of the template that defines the plan; only `add_remaining_traffic` has an effect beside it. Null or absent:
   * none.
   */
  @OptionalInteger(1, MAX_INT32)
  user_template_id?: number | null;

  /** Bytes that the user may use under the plan. 0, null or absent: unlimited. */
  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  /** Seconds that the plan lasts. 0, null or absent: it has no end. */
  @OptionalInteger(0, 3_155_760_000)
  expire?: number | null;

  /** Whether the unused part of the old limit is added to the new one. Null or absent: it is not added. */
  @OptionalBoolean()
  add_remaining_traffic?: boolean | null;
}

export const OptionalNextPlan = (): PropertyDecorator => OptionalObject(() => NextPlanInput);

/** A next plan as it is stored with the user. */
export interface NextPlan {
  /** The id of the template that defines the plan; null: none. */
  user_template_id: number | null;
  /** Bytes that the user may use under the plan; 0: unlimited. */
  data_limit: number;
  /** Seconds that the plan lasts; 0: it has no end. */
  expire: number;
  /** Whether the unused part of the old limit is added to the new one. */
  add_remaining_traffic: boolean;
}

/** Why a plan cannot begin: its template was deleted, its template is disabled, or the stored plan is damaged. */
export type PlanProblem = 'missing' | 'disabled' | 'damaged';

/** The plan that begins when a user's time or traffic is used up. */
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

/** Returns a stored plan with invalid members replaced by defaults, for display. A damaged plan never begins. */
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
