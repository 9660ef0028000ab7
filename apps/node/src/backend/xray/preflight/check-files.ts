import type { EnginePlan } from '../config/engine-plan.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { certificateDirectory, checkCertificates } from './check-certificates.js';
import { checkGeoLists, geoDirectory } from './check-geo-lists.js';

export interface FileCheckContext {
  readonly enginePath: string;
  /** What the engine inherits. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: Date;
  /** Under which the engine reads them. */
  readonly rights?: EngineRights;
}

/** Reads the files that the plan needs, as the engine will. Answers with warnings. */
export async function checkFiles(
  { geoLists, certificates }: EnginePlan,
  { enginePath, environment, now, rights }: FileCheckContext,
): Promise<string[]> {
  await checkGeoLists(geoLists, geoDirectory(environment, enginePath), rights);
  return checkCertificates(certificates, certificateDirectory(environment, enginePath), now, rights);
}
