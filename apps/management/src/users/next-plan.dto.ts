import { OptionalBoolean, OptionalInteger, OptionalObject } from '../http/rules.js';

/** What follows when a user's time or traffic is used up. A template, where there is one, decides all but the rest. */
export class NextPlanInput {
  @OptionalInteger(1, 2 ** 31 - 1)
  user_template_id?: number | null;

  @OptionalInteger(0, Number.MAX_SAFE_INTEGER)
  data_limit?: number | null;

  /** Seconds. */
  @OptionalInteger(0, 3_155_760_000)
  expire?: number | null;

  @OptionalBoolean()
  add_remaining_traffic?: boolean | null;
}

export const OptionalNextPlan = (): PropertyDecorator => OptionalObject(() => NextPlanInput);

/** As it is stored with the user. */
export interface NextPlan {
  user_template_id: number | null;
  /** 0: unlimited. */
  data_limit: number;
  /** Seconds; 0: never. */
  expire: number;
  add_remaining_traffic: boolean;
}

/** Why a plan cannot begin: its template is gone, or disabled for now. */
export type PlanProblem = 'missing' | 'disabled';

export interface NextPlanView extends NextPlan {
  /** Why the plan would not begin now. */
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
