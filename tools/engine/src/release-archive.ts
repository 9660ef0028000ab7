import { createHash } from 'node:crypto';
import { download } from './download.js';
import type { Program } from './programs.js';
import { assetUrl } from './release-site.js';
import type { InstallContext } from './strategy.js';

/** Downloads one archive of the pinned release and returns it with its SHA-256 in lower-case hex. */
export async function downloadArchive(
  program: Program,
  asset: string,
  { reporter, site, transfer, signal }: InstallContext,
): Promise<{ archive: Buffer; sha256: string }> {
  const activity = `downloading ${asset}`;
  reporter.say(`${program.name} ${program.version}: ${activity} from ${site.downloads}`);
  const archive = await download(assetUrl(site.downloads, program, asset), { ...transfer, signal }, (received, total) =>
    reporter.percent(activity, Math.floor((received / total) * 100)),
  );
  return { archive, sha256: createHash('sha256').update(archive).digest('hex') };
}
