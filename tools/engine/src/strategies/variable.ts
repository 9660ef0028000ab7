import { namedPath } from '../environment.js';
import { StrategyFailed } from '../errors.js';
import type { Strategy } from '../strategy.js';
import { askVersion } from '../version.js';

/** Uses the executable that the operator names. Another version than the pinned one is accepted with a warning. */
export const variableStrategy: Strategy = {
  name: 'variable',
  label: (program) => program.variable,
  async find(program, { env, reporter }) {
    const path = namedPath(env, program);
    if (!path) throw new StrategyFailed('not set');
    const version = await askVersion(program, path, env);
    if (version !== program.version) {
      reporter.say(
        `Warning: ${program.variable} names version ${version}; Rampart is tested with ${program.name} ${program.version}.`,
      );
    }
    return { path, version };
  },
};
