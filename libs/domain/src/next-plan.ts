import { settleUserState, type UserState } from './user-state.js';
import { type TemplateTerms, termsFromTemplate } from './user-template.js';

/** The terms that replace those of a user whose time or traffic is used up. */
export interface PlannedTerms extends TemplateTerms {
  /** Bytes; 0 = unlimited. */
  dataLimit: number;
  /** Whether the unused traffic of the old limit is added to the new limit. */
  addRemainingTraffic: boolean;
}

/** The state of a user whose next plan begins now: the traffic counter is zero, and the user is active or on hold. */
export function withNextPlan<State extends UserState>(state: State, plan: PlannedTerms, now: Date): State {
  return settleUserState(
    { ...state, ...termsFromTemplate(plan, now), dataLimit: plannedLimit(state, plan), usedTraffic: 0 },
    now,
  );
}

/** The remaining traffic is never negative, a user without a limit has none, and an unlimited plan stays unlimited. */
function plannedLimit(user: UserState, { dataLimit, addRemainingTraffic }: PlannedTerms): number {
  if (dataLimit === 0 || !addRemainingTraffic) return dataLimit;
  const remaining = Math.max(user.dataLimit - user.usedTraffic, 0);
  return Math.min(dataLimit + remaining, Number.MAX_SAFE_INTEGER);
}
