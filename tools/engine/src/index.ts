export { cacheFolder, type Environment } from './environment.js';
export { type Failure, ProgramUnavailable } from './errors.js';
export { type InstalledProgram, type InstallOptions, installProgram, locateProgram } from './install.js';
export { type Program, type ProgramName, programNames, programs } from './programs.js';
export { consoleReporter, type Reporter, silentReporter } from './reporter.js';
export { cachedPath } from './ways/cache.js';
export type { WayName } from './ways/way.js';
