import type { EnginePlan } from '../config/engine-plan.js';
import type { LocatedEngine } from '../executable/locate-engine.js';
import type { UserDirectory } from '../users/user-directory.js';

/** What is to run: the state from which every run of the engine starts. Its directory changes with its users. */
export interface DesiredState {
  readonly located: LocatedEngine;
  readonly plan: EnginePlan;
  readonly directory: UserDirectory;
}
