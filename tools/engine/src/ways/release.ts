import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { unpackProgram } from '../archive.js';
import { download } from '../download.js';
import { WayFailed } from '../errors.js';
import type { Platform, Program } from '../programs.js';
import { assetUrl, publishedSum } from '../release-site.js';
import { storeInCache } from './cache.js';
import type { Way } from './way.js';

/** The project's own release archive, taken only with the SHA-256 that the project published for it. */
export const releaseWay: Way = {
  name: 'release',
  label: () => 'release archive',
  async find(program, surroundings) {
    const { reporter, site, transfer, signal, platform } = surroundings;
    const asset = assetFor(program, platform);
    const expected = await publishedSum(program, asset, surroundings);

    const activity = `downloading ${asset}`;
    reporter.say(`${program.name} ${program.version}: ${activity} from ${site.downloads}`);
    const archive = await download(
      assetUrl(site.downloads, program, asset),
      { ...transfer, signal },
      (received, total) => reporter.percent(activity, Math.floor((received / total) * 100)),
    );
    const actual = createHash('sha256').update(archive).digest('hex');
    if (actual !== expected) {
      throw new WayFailed(`${asset} has the SHA-256 ${actual}, but ${expected} is published for it`);
    }
    const content = await unpackProgram(archive, asset, program);
    return storeInCache(program, surroundings, (path) => writeFile(path, content));
  },
};

function assetFor({ release }: Program, platform: string): string {
  if (!isSupported(platform, release.assets)) throw new WayFailed(`none is known for ${platform}`);
  return release.assets[platform];
}

function isSupported(platform: string, assets: Record<Platform, string>): platform is Platform {
  return Object.hasOwn(assets, platform);
}
