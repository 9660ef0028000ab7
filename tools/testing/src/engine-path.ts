import { accessSync, constants } from 'node:fs';
import { cachedPath, cacheFolder, programs } from '@rampart/engine';

/** The real engine for tests. There is no test without it: a missing one is an error that says what to do. */
export function enginePath(): string {
  const { xray } = programs;
  const path = process.env[xray.variable] || cachedPath(xray, cacheFolder(process.env));
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch (cause) {
    throw new Error(`these tests need the engine at ${path}: run "npm test", which installs it`, { cause });
  }
}
