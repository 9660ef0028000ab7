import { join } from 'node:path';
import { searchPath } from '../environment.js';
import { reasonOf, StrategyFailed } from '../errors.js';
import type { Strategy } from '../strategy.js';
import { demandPinned, isExecutable } from '../version.js';

/** Uses a program that is already on PATH, if it is exactly the pinned version. */
export const searchPathStrategy: Strategy = {
  name: 'path',
  label: () => 'PATH',
  async find(program, { env }) {
    const reasons: string[] = [];
    for (const folder of new Set(searchPath(env))) {
      const path = join(folder, program.executable);
      if (!(await isExecutable(path))) continue;
      try {
        return { path, version: await demandPinned(program, path, env) };
      } catch (error) {
        const reason = reasonOf(error);
        if (reason === undefined) throw error;
        reasons.push(reason);
      }
    }
    throw new StrategyFailed(reasons.join('; ') || `no ${program.executable} on it`);
  },
};
