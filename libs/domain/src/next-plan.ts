import { settleUserState, type UserState } from './user-state.js';
import { type TemplateTerms, termsFromTemplate } from './user-template.js';

/** What takes the place of a user's terms when its time or its traffic is used up. */
export interface PlannedTerms extends TemplateTerms {
  /** Bytes; 0: unlimited. */
  dataLimit: number;
  /** What is left of the old limit is added to the new one. */
  addRemainingTraffic: boolean;
}

/** The state in which a user is when its next plan begins at a moment: it counts from zero, and is served or on hold. */
export function withNextPlan<State extends UserState>(state: State, plan: PlannedTerms, now: Date): State {
  return settleUserState(
    { ...state, ...termsFromTemplate(plan, now), dataLimit: plannedLimit(state, plan), usedTraffic: 0 },
    now,
  );
}

/** Who had no limit has nothing left over, who has used too much owes nothing, and what is unlimited stays so. */
function plannedLimit(user: UserState, { dataLimit, addRemainingTraffic }: PlannedTerms): number {
  if (dataLimit === 0 || !addRemainingTraffic) return dataLimit;
  const remaining = Math.max(user.dataLimit - user.usedTraffic, 0);
  return Math.min(dataLimit + remaining, Number.MAX_SAFE_INTEGER);
}
