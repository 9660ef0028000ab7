import type { EnginePlan } from '../config/engine-plan.js';
import { certificateDirectory, checkCertificates } from './check-certificates.js';
import { checkGeoLists, geoDirectory } from './check-geo-lists.js';

export interface FileSurroundings {
  readonly enginePath: string;
  /** What the engine inherits. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: Date;
}

/** Reads the files that the plan needs, as the engine will. Answers with warnings. */
export async function checkFiles(
  { geoLists, certificates }: EnginePlan,
  { enginePath, environment, now }: FileSurroundings,
): Promise<string[]> {
  await checkGeoLists(geoLists, geoDirectory(environment, enginePath));
  return checkCertificates(certificates, certificateDirectory(environment, enginePath), now);
}
