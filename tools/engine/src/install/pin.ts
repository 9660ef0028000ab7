import { reasonOf, StrategyFailed } from '../errors.js';
import {
  type PinnedSum,
  pinnedSum,
  readPinnedSums,
  SUMS_FILE,
  withPinnedSum,
  writePinnedSums,
} from '../pinned-sums.js';
import { type Platform, type Program, type ProgramName, programs } from '../programs.js';
import { downloadArchive } from '../release-archive.js';
import { publishedSum } from '../release-site.js';
import type { InstallContext } from '../strategy.js';
import { type InstallOptions, installContextOf } from './install.js';

/**
 * Downloads the release archives of a program for every platform and writes their SHA-256 into the table. For an archive
 * that cannot be downloaded, it writes the reason. An archive that differs from the published sum or from an existing entry
 * changes nothing. Returns the problems; an empty list means that every platform is pinned.
 */
export async function pinProgram(name: ProgramName, options: InstallOptions = {}, file = SUMS_FILE): Promise<string[]> {
  const program = programs[name];
  const context = installContextOf(options);
  const problems: string[] = [];
  for (const platform of Object.keys(program.release.assets) as Platform[]) {
    const sums = await readPinnedSums(file);
    const before = pinnedSum(sums, program, platform);
    const found = await sumOf(program, platform, context);
    const place = `${name} ${program.version} ${platform}`;
    if ('missing' in found) problems.push(`${place}: ${found.missing}`);
    if ('sha256' in before) {
      if ('sha256' in found && found.sha256 !== before.sha256) {
        problems.push(`${place}: the archive has ${found.sha256}, but ${before.sha256} is pinned; nothing is changed`);
      }
      continue;
    }
    await writePinnedSums(withPinnedSum(sums, program, platform, found), file);
  }
  return problems;
}

async function sumOf(program: Program, platform: Platform, context: InstallContext): Promise<PinnedSum> {
  const asset = program.release.assets[platform];
  try {
    const published = await publishedSum(program, asset, context);
    const { sha256 } = await downloadArchive(program, asset, context);
    if (sha256 !== published)
      throw new StrategyFailed(`${asset} has the SHA-256 ${sha256}, but ${published} is published`);
    return { sha256 };
  } catch (error) {
    context.signal?.throwIfAborted();
    const missing = reasonOf(error);
    if (missing === undefined) throw error;
    return { missing };
  }
}
