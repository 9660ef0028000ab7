export { cacheFolder, type Environment } from './environment.js';
export { type InstalledProgram, type InstallOptions, installProgram } from './install/install.js';
export { type Program, type ProgramName, programs } from './programs.js';
export type { Reporter } from './reporter.js';
export { cachedPath } from './strategies/cache.js';
