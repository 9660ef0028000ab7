import type { EnginePlan } from '../config/plan/engine-plan.js';
import type { LocatedEngine } from '../executable/locate-engine.js';
import type { UserDirectory } from '../users/user-directory.js';

/**
 * The state that the engine should have; each run of the engine starts from it. Its directory changes with the users.
 */
export interface DesiredState {
  readonly located: LocatedEngine;
  readonly plan: EnginePlan;
  readonly directory: UserDirectory;
}
