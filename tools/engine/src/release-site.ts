import { download } from './download.js';
import { StrategyFailed } from './errors.js';
import type { Program } from './programs.js';
import type { InstallContext } from './strategy.js';

/** Download URL of one file of the pinned release. */
export function assetUrl(downloads: string, { release, version }: Program, file: string): string {
  return `${downloads}/${release.repository}/releases/download/v${version}/${file}`;
}

/** The published SHA-256 of an archive of the pinned release, in lower-case hex. Throws StrategyFailed if there is none. */
export async function publishedSum(program: Program, asset: string, context: InstallContext): Promise<string> {
  const { site, transfer, signal } = context;
  const { repository, sum } = program.release;
  const url =
    sum === 'dgst'
      ? assetUrl(site.downloads, program, `${asset}.dgst`)
      : `${site.api}/repos/${repository}/releases/tags/v${program.version}`;
  const text = (await download(url, { ...transfer, signal })).toString('utf8');
  const found = sum === 'dgst' ? sumInDgst(text) : sumInRelease(text, asset);
  if (!found) throw new StrategyFailed(`${repository} publishes no SHA-256 for ${asset} (${url})`);
  return found;
}

/** Reads the SHA-256 out of the output of `openssl dgst`: version 3 writes `SHA2-256`, older versions write `SHA256`. */
export function sumInDgst(text: string): string | undefined {
  return /^SHA(?:2-)?256=\s*([0-9a-f]{64})\s*$/im.exec(text)?.[1]?.toLowerCase();
}

/** Reads the `digest` of an asset out of GitHub's answer for a release; assets from before 2025-06 have none. */
export function sumInRelease(text: string, asset: string): string | undefined {
  const { assets } = parseRelease(text);
  const digest = assets?.find(({ name }) => name === asset)?.digest;
  return /^sha256:([0-9a-f]{64})$/i.exec(digest ?? '')?.[1]?.toLowerCase();
}

interface Release {
  assets?: { name?: string; digest?: string | null }[];
}

function parseRelease(text: string): Release {
  try {
    const value: unknown = JSON.parse(text);
    return isRelease(value) ? value : {};
  } catch {
    return {};
  }
}

function isRelease(value: unknown): value is Release {
  if (typeof value !== 'object' || value === null || !('assets' in value) || !Array.isArray(value.assets)) return false;
  return value.assets.every((asset) => typeof asset === 'object' && asset !== null);
}
