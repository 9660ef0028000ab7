import { writeFile } from 'node:fs/promises';
import { unpackProgram } from '../archive.js';
import { WayFailed } from '../errors.js';
import { pinnedSum, readPinnedSums } from '../pinned-sums.js';
import type { Platform, Program } from '../programs.js';
import { downloadArchive } from '../release-archive.js';
import { publishedSum } from '../release-site.js';
import { storeInCache } from './cache.js';
import type { Surroundings, Way } from './way.js';

/** The project's own release archive, taken only with the SHA-256 that is pinned here or else published beside it. */
export const releaseWay: Way = {
  name: 'release',
  label: () => 'release archive',
  async find(program, surroundings) {
    const asset = assetFor(program, surroundings.platform);
    const { sum, whose } = await expectedSum(program, asset, surroundings);
    const { archive, sha256 } = await downloadArchive(program, asset, surroundings);
    if (sha256 !== sum) throw new WayFailed(`${asset} has the SHA-256 ${sha256}, but ${sum} is ${whose} for it`);
    const content = await unpackProgram(archive, asset, program);
    return storeInCache(program, surroundings, (path) => writeFile(path, content));
  },
};

/** A sum that came with the repository wins: whoever replaces the archive can replace what lies beside it. */
async function expectedSum(
  program: Program,
  asset: string,
  surroundings: Surroundings,
): Promise<{ sum: string; whose: 'pinned' | 'published' }> {
  const pinned = pinnedSum(surroundings.sums ?? (await readPinnedSums()), program, surroundings.platform);
  if ('sha256' in pinned) return { sum: pinned.sha256, whose: 'pinned' };
  return { sum: await publishedSum(program, asset, surroundings), whose: 'published' };
}

function assetFor({ release }: Program, platform: string): string {
  if (!isSupported(platform, release.assets)) throw new WayFailed(`none is known for ${platform}`);
  return release.assets[platform];
}

function isSupported(platform: string, assets: Record<Platform, string>): platform is Platform {
  return Object.hasOwn(assets, platform);
}
