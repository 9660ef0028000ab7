import type { EnginePlan } from '../config/engine-plan.js';
import type { LocatedEngine } from '../executable/locate-engine.js';
import type { UserDirectory } from '../users/user-directory.js';
import type { Engine } from './engine.js';

/** What is to run: the state from which every run of the engine starts. Its directory changes with its users. */
export interface Target {
  readonly located: LocatedEngine;
  readonly plan: EnginePlan;
  readonly directory: UserDirectory;
}

/** An engine, and what it was started for. */
export interface Run {
  readonly engine: Engine;
  readonly target: Target;
}
