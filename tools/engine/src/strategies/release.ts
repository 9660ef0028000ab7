import { writeFile } from 'node:fs/promises';
import { unpackProgram } from '../archive.js';
import { StrategyFailed } from '../errors.js';
import { pinnedSum, readPinnedSums } from '../pinned-sums.js';
import type { Platform, Program } from '../programs.js';
import { downloadArchive } from '../release-archive.js';
import { publishedSum } from '../release-site.js';
import type { InstallContext, Strategy } from '../strategy.js';
import { storeInCache } from './cache.js';

/** Installs the project's release archive, if its SHA-256 is the pinned one, or the published one where none is pinned. */
export const releaseStrategy: Strategy = {
  name: 'release',
  label: () => 'release archive',
  async find(program, context) {
    const asset = assetFor(program, context.platform);
    const { sum, whose } = await expectedSum(program, asset, context);
    const { archive, sha256 } = await downloadArchive(program, asset, context);
    if (sha256 !== sum) throw new StrategyFailed(`${asset} has the SHA-256 ${sha256}, but ${sum} is ${whose} for it`);
    const content = await unpackProgram(archive, asset, program);
    return storeInCache(program, context, (path) => writeFile(path, content));
  },
};

/** A pinned sum wins: whoever can replace an archive can also replace the sum that is published beside it. */
async function expectedSum(
  program: Program,
  asset: string,
  context: InstallContext,
): Promise<{ sum: string; whose: 'pinned' | 'published' }> {
  const pinned = pinnedSum(context.sums ?? (await readPinnedSums()), program, context.platform);
  if ('sha256' in pinned) return { sum: pinned.sha256, whose: 'pinned' };
  return { sum: await publishedSum(program, asset, context), whose: 'published' };
}

function assetFor({ release }: Program, platform: string): string {
  if (!isSupported(platform, release.assets)) throw new StrategyFailed(`none is known for ${platform}`);
  return release.assets[platform];
}

function isSupported(platform: string, assets: Record<Platform, string>): platform is Platform {
  return Object.hasOwn(assets, platform);
}
