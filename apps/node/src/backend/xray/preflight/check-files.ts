import type { EnginePlan } from '../config/plan/engine-plan.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { certificateDirectory, checkCertificates } from './check-certificates.js';
import { checkGeoLists, geoDirectory } from './check-geo-lists.js';

export interface FileCheckContext {
  readonly enginePath: string;
  /** The environment of the engine process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: Date;
  /** The rights with which the engine reads the files. */
  readonly rights?: EngineRights;
}

/** Checks the files that the plan refers to, as the engine will read them. Returns warnings. */
export async function checkFiles(
  { geoLists, certificates }: EnginePlan,
  { enginePath, environment, now, rights }: FileCheckContext,
): Promise<string[]> {
  await checkGeoLists(geoLists, geoDirectory(environment, enginePath), rights);
  return checkCertificates(certificates, certificateDirectory(environment, enginePath), now, rights);
}
